import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** A process counts as answering requests for so long after each of them. */
const BUSY_MS = 250;

/** Meanwhile all queues together send one row in this time, however many requests come. */
const TURN_MS = 25;

/** Meanwhile a queue looks for rows this often at most, and finds several where each act would have woken it for one. */
const LOOK_MS = 250;

/**
 * Lets what is sent in the background give way to the requests of the same process, for they share its one core. While
 * none come, it makes nothing wait.
 */
@Injectable()
export class Pace {
  private lastRequestAt = Number.NEGATIVE_INFINITY;
  private nextTurnAt = 0;

  noteRequest(): void {
    this.lastRequestAt = performance.now();
  }

  /** Waits until the next row may be sent. */
  async turn(): Promise<void> {
    const now = performance.now();
    if (!this.isBusy(now)) return;
    const at = Math.max(now, this.nextTurnAt);
    this.nextTurnAt = at + TURN_MS;
    if (at > now) await sleep(at - now);
  }

  /** Waits until a queue that looked for rows at a time, by `performance.now()`, may look again. */
  async look(lastAt: number): Promise<void> {
    const now = performance.now();
    const restMs = lastAt + LOOK_MS - now;
    if (restMs > 0 && this.isBusy(now)) await sleep(restMs);
  }

  private isBusy(now: number): boolean {
    return now < this.lastRequestAt + BUSY_MS;
  }
}
