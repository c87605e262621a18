import type { Logger } from '@nestjs/common';
import type { JobMetrics } from './job-metrics.js';

/** How long a job rests at most: what a lost notification costs. */
const POLL_MS = 5_000;

/** Work that the service does besides answering requests, whenever there is some. */
export interface Job {
  readonly name: string;

  /** The PostgreSQL channel whose notifications wake it up; without one, that of its name. */
  readonly channel?: string;

  /**
   * Does the work there is, and returns in how many milliseconds there will be more; null when it does not know. Ends
   * soon after the signal.
   */
  work(signal: AbortSignal): Promise<number | null>;
}

/** Runs one job again and again until it is stopped. */
export class JobLoop {
  private readonly stopping = new AbortController();
  private isWoken = false;
  private endRest = () => {};
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly job: Job,
    private readonly logger: Logger,
    private readonly metrics: JobMetrics,
  ) {}

  start(): void {
    this.running = this.run(this.stopping.signal);
  }

  /** Cuts short the present rest, or the one after the work under way. */
  wake(): void {
    this.isWoken = true;
    this.endRest();
  }

  /** Waits for the work under way. */
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

  /** A job that fails is only logged and counted, because it runs again after the rest. */
  private async work(signal: AbortSignal): Promise<number> {
    try {
      return Math.min((await this.job.work(signal)) ?? POLL_MS, POLL_MS);
    } catch (error) {
      const fields = { event: 'job.failed', job: this.job.name, err: error };
      this.logger.error(fields, 'A background job failed.');
      this.metrics.countFailure(this.job.name);
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
