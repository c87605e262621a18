import { createHmac } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import pLimit, { type LimitFunction } from 'p-limit';
import { Environment } from '../config/environment.js';
import { ServiceUnavailable } from '../errors/errors.js';
import { HashingMetrics } from './hashing-metrics.js';

/** Names how the stored form was made, so that the scheme can change. */
const SCHEME = 'hmac-sha256:';

/** Binds the inner hash to this use: a leaked plain SHA-256 of the password is no shortcut to it. */
const INNER_KEY = 'latchkey password v1';

/** Threads of libuv, on which not only the hashes run but every DNS look-up and every read of a file. */
const THREADS = Number(process.env.UV_THREADPOOL_SIZE ?? 4);

/** Hashes that may wait for a core; one more would wait for seconds, and is told to try again. */
const MAX_WAITING = 64;

/**
 * Hashes passwords with bcrypt, and compares them. bcrypt reads 72 bytes and stops at a NUL, so what it gets is
 * the 44 characters of a keyed SHA-256, in which every character of the password counts.
 */
@Injectable()
export class PasswordHasher {
  private readonly limit: LimitFunction;
  private readonly cost: number;

  /** A hash of nothing anyone knows: comparing with it takes as long as with a real one. */
  private readonly dummy: string;

  constructor(
    { bcryptCost, workers }: Environment,
    private readonly metrics: HashingMetrics,
  ) {
    // One for each core, which the workers share; a thread is left for everything else.
    this.limit = pLimit(Math.max(1, Math.min(Math.floor(availableParallelism() / workers), THREADS - 1)));
    metrics.watch(this.limit);
    this.cost = bcryptCost;
    this.dummy = `${SCHEME}${bcrypt.genSaltSync(bcryptCost)}${'.'.repeat(31)}`;
  }

  /** The form in which a password is stored. */
  async hash(password: string): Promise<string> {
    return SCHEME + (await this.run(() => bcrypt.hash(inner(password), this.cost)));
  }

  /** Whether a password is the stored one. With nothing stored it costs the same, and the answer is no. */
  async matches(password: string, stored: string | null): Promise<boolean> {
    const hash = stored ?? this.dummy;
    const isOurs = hash.startsWith(SCHEME);
    const isMatch = await this.run(() =>
      isOurs ? bcrypt.compare(inner(password), hash.slice(SCHEME.length)) : bcrypt.compare(password, hash),
    );
    return isMatch && stored !== null;
  }

  /** Whether a stored form was made elsewhere, or at another cost, and should be replaced at the next login. */
  isOutdated(stored: string): boolean {
    return !stored.startsWith(SCHEME) || bcrypt.getRounds(stored.slice(SCHEME.length)) !== this.cost;
  }

  /** Runs a hash in its turn: more at once would only slow down everything else. */
  private run<T>(work: () => Promise<T>): Promise<T> {
    if (this.limit.pendingCount >= MAX_WAITING) {
      this.metrics.refused.inc();
      throw new ServiceUnavailable();
    }
    return this.limit(work);
  }
}

function inner(password: string): string {
  return createHmac('sha256', INNER_KEY).update(password).digest('base64');
}
