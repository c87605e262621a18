import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { Environment } from '../../config/environment.js';
import { HashingQueue, type HashSource } from './hashing-queue.js';

/** Names how the stored form was made, so that the scheme can change. */
const SCHEME = 'hmac-sha256:';

/** Binds the inner hash to this use: a leaked plain SHA-256 of the password is no shortcut to it. */
const INNER_KEY = 'latchkey password v1';

/**
 * Hashes passwords with bcrypt, and compares them. bcrypt reads 72 bytes and stops at a NUL, so what it gets is
 * the 44 characters of a keyed SHA-256, in which every character of the password counts.
 */
@Injectable()
export class PasswordHasher {
  private readonly cost: number;

  /** A hash that no known password has: comparing with it takes as long as with a real one. */
  private readonly dummy: string;

  constructor(
    { bcryptCost }: Environment,
    private readonly queue: HashingQueue,
  ) {
    this.cost = bcryptCost;
    this.dummy = `${SCHEME}${bcrypt.genSaltSync(bcryptCost)}${'.'.repeat(31)}`;
  }

  /** The form in which a password is stored. */
  async hash(password: string, by: HashSource): Promise<string> {
    return SCHEME + (await this.queue.run(() => bcrypt.hash(inner(password), this.cost), by));
  }

  /** Whether a password is the stored one. With nothing stored it costs the same, and the answer is no. */
  async matches(password: string, stored: string | null, by: HashSource): Promise<boolean> {
    const hash = stored ?? this.dummy;
    const isOurs = hash.startsWith(SCHEME);
    const isMatch = await this.queue.run(
      () =>
        isOurs ? bcrypt.compare(inner(password), hash.slice(SCHEME.length)) : bcrypt.compare(password, hash),
      by,
    );
    return isMatch && stored !== null;
  }

  /** Whether a stored form was made elsewhere, or at another cost, and should be replaced at the next login. */
  isOutdated(stored: string): boolean {
    return !stored.startsWith(SCHEME) || bcrypt.getRounds(stored.slice(SCHEME.length)) !== this.cost;
  }
}

function inner(password: string): string {
  return createHmac('sha256', INNER_KEY).update(password).digest('base64');
}
