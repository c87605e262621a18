import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import { Environment } from '../config/environment.js';
import { ServiceUnavailable } from '../http/errors.js';
import { siteOf } from '../rate-limits/limits.js';
import { HashingMetrics } from './hashing-metrics.js';

/**
 * Threads of libuv, on which not only the hashes run but every DNS look-up and every read of a file. libuv itself reads
 * the variable, so it is no setting of the service.
 */
const THREADS = Number(process.env.UV_THREADPOOL_SIZE ?? 4);

/** Hashes under way or waiting for a core; one more would wait for seconds, and gets a 503. */
const SLOTS = 48;

/** What one subscriber may hold of them, so that a flood from one place leaves the others theirs. */
const SLOTS_A_SITE = SLOTS / 4;

/** Further ones, for logins from devices that the account knows: strangers cannot take them by any means. */
const SLOTS_OF_KNOWN_DEVICES = 16;

/** Where a password to hash comes from. */
export interface HashSource {
  ip: string | null;
  /** Whether it is a login from a device that the account knows. */
  isKnownDevice?: boolean;
}

/** Where hashes wait for their turn: more at once than there are cores would only slow down everything else. */
@Injectable()
export class HashingQueue {
  private readonly limit: LimitFunction;
  private readonly slots: Slots;
  private readonly slotsOfKnownDevices = new Slots(SLOTS_OF_KNOWN_DEVICES);

  constructor(
    { workers, rateLimits }: Environment,
    private readonly metrics: HashingMetrics,
  ) {
    // One for each core, which the workers share; a thread is left for everything else.
    this.limit = pLimit(Math.max(1, Math.min(Math.floor(availableParallelism() / workers), THREADS - 1)));
    this.slots = new Slots(SLOTS, rateLimits === 'on' ? SLOTS_A_SITE : SLOTS);
    metrics.watch(this.limit);
  }

  /** Runs a hash in its turn. Throws ServiceUnavailable when there is no slot for it. */
  async run<T>(work: () => Promise<T>, { ip, isKnownDevice = false }: HashSource): Promise<T> {
    const site = siteOf(ip);
    const giveBack = (isKnownDevice && this.slotsOfKnownDevices.take(site)) || this.slots.take(site);
    if (!giveBack) {
      this.metrics.refused.inc();
      throw new ServiceUnavailable();
    }
    return this.limit(work).finally(giveBack);
  }
}

/** Slots of which each holder may take a share. */
class Slots {
  private taken = 0;
  private readonly takenBy = new Map<string, number>();

  constructor(
    private readonly size: number,
    private readonly share = size,
  ) {}

  /** Takes a slot, and returns how to give it back; null when there is none for the holder. */
  take(holder: string): (() => void) | null {
    if (this.taken >= this.size || this.heldBy(holder) >= this.share) return null;
    this.change(holder, 1);
    return () => this.change(holder, -1);
  }

  private heldBy(holder: string): number {
    return this.takenBy.get(holder) ?? 0;
  }

  private change(holder: string, slots: number): void {
    const held = this.heldBy(holder) + slots;
    this.taken += slots;
    if (held === 0) this.takenBy.delete(holder);
    else this.takenBy.set(holder, held);
  }
}
