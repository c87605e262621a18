import type { Leased, LeasedQueueRepository } from './leased-queue.repository.js';
import type { Pace } from './pace.js';
import { Unavailable } from './unavailable.js';

/** How the log tells of a row that was not sent. */
interface Reports<Row> {
  postponed(row: Row, reason: string): void;
  givenUp(row: Row, reason: string): void;
}

/**
 * Sends what waits in a queue, oldest first, each row by one worker. It is sent at least once: a worker that dies
 * between the endpoint's answer and writing it down leaves a row that is sent again when its lease ends.
 */
export class QueueWorker<Row extends Leased> {
  /** When the worker last looked for rows, by `performance.now()`. */
  private lookedAt = Number.NEGATIVE_INFINITY;
  /** Whether it then found one that gives way to requests no longer. */
  private isLate = false;

  constructor(
    private readonly queue: LeasedQueueRepository<Row>,
    private readonly pace: Pace,
    private readonly reports: Reports<Row>,
  ) {}

  /**
   * Works off what waits for an endpoint, so many rows at a time, until nothing may be tried. Returns in how many
   * milliseconds the next row may be; null when none waits.
   */
  async work(
    endpoint: string,
    atOnce: number,
    deliver: (rows: Row[]) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<number | null> {
    while (await this.mayLook(signal)) {
      const rows = await this.queue.claim(endpoint, atOnce);
      this.isLate = rows.some(({ isLate }) => isLate);
      const probeEndsAt = rows[0]?.probeEndsAt;
      try {
        if (rows.length > 0) await deliver(rows);
      } finally {
        if (probeEndsAt) await this.queue.outages.endProbe(endpoint, probeEndsAt);
      }
      // Fewer than asked for, and not because only a probe was to be had: no other may be tried now.
      if (rows.length < atOnce && !probeEndsAt) return this.queue.untilDueMs(endpoint);
    }
    return null;
  }

  /** Tries a row once. One that fails is tried again later, unless the attempt was the last one that is worthwhile. */
  async attempt(row: Row, send: () => Promise<void>, isLast: (error: unknown) => boolean): Promise<void> {
    if (!row.isLate) await this.pace.turn();
    try {
      await send();
    } catch (error) {
      const isDown = error instanceof Unavailable;
      if (isDown) await this.queue.outages.extend(row, error);
      const reason = error instanceof Error ? error.message : String(error);
      return isLast(error) ? this.giveUp(row, reason) : this.postpone(row, reason, isDown);
    }
    if (row.probeEndsAt) await this.queue.outages.end(row.endpoint);
    await this.queue.finish(row, 'sent');
    if (row.probeEndsAt) await this.queue.bringForward(row.endpoint);
  }

  /** Makes a row a dead letter. */
  async giveUp(row: Row, reason: string): Promise<void> {
    this.reports.givenUp(row, reason);
    await this.queue.finish(row, 'dead', reason);
  }

  /** Waits until it is time to look for rows. Returns whether the worker goes on. */
  private async mayLook(signal: AbortSignal): Promise<boolean> {
    if (!this.isLate) await this.pace.look(this.lookedAt);
    this.lookedAt = performance.now();
    return !signal.aborted;
  }

  private async postpone(row: Row, reason: string, isDown: boolean): Promise<void> {
    this.reports.postponed(row, reason);
    await this.queue.postpone(row, reason, isDown);
  }
}
