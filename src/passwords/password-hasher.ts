import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { Environment } from '../config/environment.js';
import { normalPassword } from '../secrets/normal-password.js';
import { FOREIGN_FORMS, foreignComparison } from './foreign-hash.js';
import { HashingQueue, type HashSource } from './hashing-queue.js';

/** Names how the stored form was made, so that the scheme can change. */
const SCHEME = 'hmac-sha256:';

/** Binds the inner hash to this use: a leaked plain SHA-256 of the password is no shortcut to it. */
const INNER_KEY = 'latchkey password v1';

/**
 * Our own hashes, and those of bcrypt, as other systems write them. bcrypt answers at once below a cost of 4, and above 16
 * one login would take a processor for seconds.
 */
const BCRYPT_FORM = '^(hmac-sha256:)?[$]2[abxy][$](0[4-9]|1[0-6])[$][./A-Za-z0-9]{53}$';

const BCRYPT = new RegExp(BCRYPT_FORM);

/** The forms of a hash that can be compared, as a pattern of PostgreSQL's. */
export const KNOWN_FORMS = [BCRYPT_FORM, ...FOREIGN_FORMS].join('|');

/** Hashes of bcrypt that one login may not afford. */
const COSTLY_BCRYPT = /^(hmac-sha256:)?[$]2[abxy][$](1[7-9]|2[0-9]|3[01])[$][./A-Za-z0-9]{53}$/;

/** Why a hash cannot be compared: nobody knows its form here, or it costs more than one login may. Null for one that can. */
export function faultOfHash(hash: string): 'unknown_form' | 'too_costly' | null {
  if (isComparable(hash)) return null;
  const isKnown = COSTLY_BCRYPT.test(hash) || FOREIGN_FORMS.some((form) => new RegExp(form).test(hash));
  return isKnown ? 'too_costly' : 'unknown_form';
}

/** Whether a hash can be compared: its form is known, and it costs no more than a login may. */
function isComparable(hash: string): boolean {
  return BCRYPT.test(hash) || foreignComparison(hash) !== null;
}

/** PHP calls its own hashes of bcrypt `$2y$`, and `$2x$` those of its old fault, which only letters beyond ASCII have. */
const NAME_OF_PHP = /^[$]2[xy][$]/;

/** bcrypt reads no more of a password; our own scheme gives it less. */
const BCRYPT_READS_BYTES = 72;

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
    const text = inner(normalPassword(password));
    return SCHEME + (await this.queue.run(() => bcrypt.hash(text, this.cost), by));
  }

  /**
   * Whether a password is the stored one. With nothing stored, or something of an unknown form, it costs as much as with a
   * hash of ours, and the answer is no. One made elsewhere costs what it costs, until it is replaced. A hash from before passwords were normalised is one of the password as typed, so that is tried as
   * well; whether it is tried depends on what was typed alone.
   */
  async matches(password: string, stored: string | null, by: HashSource): Promise<boolean> {
    const isThere = stored !== null && isComparable(stored);
    const hash = isThere ? stored : this.dummy;
    for (const form of new Set([normalPassword(password), password]))
      if (await this.compare(form, hash, by)) return isThere;
    return false;
  }

  /**
   * Whether the stored form of a password that matches should be replaced: it was made elsewhere, at another cost, or
   * from the password as typed. A password too long for bcrypt is left alone where another system hashed it with that: the
   * hash covers only the beginning, which other passwords share.
   */
  async isOutdated(stored: string, password: string, by: HashSource): Promise<boolean> {
    if (!BCRYPT.test(stored)) return true;
    if (!stored.startsWith(SCHEME)) return Buffer.byteLength(password) <= BCRYPT_READS_BYTES;
    if (bcrypt.getRounds(stored.slice(SCHEME.length)) !== this.cost) return true;
    const normal = normalPassword(password);
    return normal !== password && !(await this.compare(normal, stored, by));
  }

  private compare(password: string, hash: string, by: HashSource): Promise<boolean> {
    const foreign = foreignComparison(hash);
    if (foreign) return this.queue.run(() => foreign(password), by);
    const isOurs = hash.startsWith(SCHEME);
    const [text, bare] = isOurs ? [inner(password), hash.slice(SCHEME.length)] : [password, hash];
    return this.queue.run(() => bcrypt.compare(text, bare.replace(NAME_OF_PHP, '$2b$')), by);
  }
}

function inner(password: string): string {
  return createHmac('sha256', INNER_KEY).update(password).digest('base64');
}
