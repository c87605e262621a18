import type { Logger } from '@nestjs/common';

/** How long a job rests at most: what a lost notification costs. */
const POLL_MS = 5_000;

/** Something the service does besides answering requests, whenever there is some of it to do. */
export interface Job {
  /** Its name, and the PostgreSQL channel whose notifications wake it up. */
  readonly name: string;

  /**
   * Does what there is to do, and tells in how many milliseconds there will be more; null when it does not know.
   * Ends soon once the signal is given.
   */
  work(signal: AbortSignal): Promise<number | null>;
}

/** One job, done again and again until it is stopped. */
export class JobLoop {
  private readonly stopping = new AbortController();
  private isWoken = false;
  private endRest = () => {};
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly job: Job,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.running = this.run(this.stopping.signal);
  }

  /** Cuts short the present rest, or the one after the work under way. */
  wake(): void {
    this.isWoken = true;
    this.endRest();
  }

  /** Lets the work under way come to its end. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.isWoken = false;
      await this.rest(await this.work(signal));
    }
  }

  /** A job that fails is only logged: it has another turn after the rest. */
  private async work(signal: AbortSignal): Promise<number> {
    try {
      return Math.min((await this.job.work(signal)) ?? POLL_MS, POLL_MS);
    } catch (error) {
      this.logger.error(error, `${this.job.name} failed`);
      return POLL_MS;
    }
  }

  private rest(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.isWoken) return resolve();
      const timer = setTimeout(resolve, milliseconds);
      this.endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
