import { createHash } from 'node:crypto';

/** How often something was done under one key of a limit. */
export interface Count {
  /** The last time included, even where it went beyond the limit. */
  taken: number;
  /** When the count begins anew, by the clock of `performance.now()`. */
  resetsAt: number;
}

const COUNTERS = 4096;

/**
 * Counts for one limit in the memory of this process while the database does not. There are 4,096 counters, however
 * many keys there are: strangers who share one are stopped sooner, and cannot fill the memory. A counter whose time is
 * over gives way to the next that needs its place.
 */
export class MemoryFallback {
  private readonly counters = new Map<number, Count>();

  take(key: string, seconds: number): Count {
    const { taken, resetsAt } = this.find(key) ?? { taken: 0, resetsAt: inSeconds(seconds) };
    return this.keep(key, { taken: taken + 1, resetsAt });
  }

  /** Gives nothing back where nothing was taken: the database may have counted. */
  giveBack(key: string): void {
    const count = this.find(key);
    if (count) this.keep(key, { ...count, taken: Math.max(0, count.taken - 1) });
  }

  close(key: string, taken: number, seconds: number): void {
    this.keep(key, { taken, resetsAt: inSeconds(seconds) });
  }

  forget(key: string): void {
    this.counters.delete(placeOf(key));
  }

  private find(key: string): Count | undefined {
    const count = this.counters.get(placeOf(key));
    return count && performance.now() < count.resetsAt ? count : undefined;
  }

  private keep(key: string, count: Count): Count {
    this.counters.set(placeOf(key), count);
    return count;
  }
}

/** Hashes the key: those of some limits begin with the id of a user, and all such ids begin with the same digits. */
function placeOf(key: string): number {
  return createHash('sha256').update(key).digest().readUInt16BE() % COUNTERS;
}

function inSeconds(seconds: number): number {
  return performance.now() + seconds * 1000;
}
