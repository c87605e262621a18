import { Injectable } from '@nestjs/common';
import type { Transaction } from '../audit/transactions.js';
import { InvalidToken } from '../http/errors.js';
import { hashToken, mintToken } from '../secrets/token.js';
import type { Purpose } from './one-time-token.entity.js';
import {
  type NewToken,
  OneTimeTokensRepository,
  type StoredToken,
  type TokenOwner,
} from './one-time-tokens.repository.js';

const HOUR_SECONDS = 3600;

const LIFETIME_SECONDS: Record<Purpose, number> = {
  'reset-password': HOUR_SECONDS,
  'change-email': 24 * HOUR_SECONDS,
  'secure-account': 7 * 24 * HOUR_SECONDS,
};

/** A token to be mailed, which is stored only as its hash. */
export interface IssuedToken extends StoredToken {
  token: string;
}

/** Secrets that are mailed, and prove once that their reader owns the address. */
@Injectable()
export class OneTimeTokens {
  constructor(private readonly tokens: OneTimeTokensRepository) {}

  /** Issues a token to the account of an address. Returns null when there is none, or it is disabled. */
  async issue(email: string, purpose: Purpose, tx: Transaction): Promise<IssuedToken | null> {
    const token = mintToken();
    const stored = await this.tokens.insertForAccount(email, newToken(token, purpose), tx);
    return stored && { token, ...stored };
  }

  /**
   * Issues a token to an address: the one a user wants to change to, or the user's own, in a mail that tells of a change
   * to the account, which the token undoes.
   */
  async issueTo(
    sentTo: string,
    userId: string,
    purpose: 'change-email' | 'secure-account',
    tx: Transaction,
  ): Promise<IssuedToken> {
    const token = mintToken();
    const stored = await this.tokens.insert(userId, sentTo, newToken(token, purpose), tx);
    return { token, ...stored };
  }

  /** Whether a user asked to change to an address within the last minute, and still may. */
  isFreshlyIssued(newEmail: string, userId: string, tx: Transaction): Promise<boolean> {
    return this.tokens.isFreshlyIssued(userId, 'change-email', newEmail, tx);
  }

  /** Whose token it is. Throws InvalidToken when it is unknown, used, expired, or went to an address since changed. */
  async ownerOf(token: string, purposes: Purpose[]): Promise<TokenOwner> {
    const owner = await this.tokens.findOwner(hashToken(token), purposes);
    if (!owner) throw new InvalidToken();
    return owner;
  }

  /**
   * Uses up a token that serves one of the purposes, with its siblings, and tells whose it was. Those that secure the
   * account are left to `revokeAll`. The lock on the user comes first, so that two siblings used at once wait for each
   * other instead of deadlocking. Throws InvalidToken.
   */
  async consume(token: string, purposes: Purpose[], tx: Transaction): Promise<TokenOwner> {
    const tokenHash = hashToken(token);
    const owner = await this.tokens.lockOwner(tokenHash, purposes, tx);
    if (!owner || !(await this.tokens.consume({ tokenHash }, tx))) throw new InvalidToken();

    if (owner.purpose !== 'secure-account') await this.revoke(owner.id, owner.purpose, tx);
    return owner;
  }

  /** Voids what is left of a user's tokens of one purpose. */
  async revoke(userId: string, purpose: Purpose, tx: Transaction): Promise<void> {
    await this.tokens.consume({ userId, purpose }, tx);
  }

  /**
   * Voids all of a user's tokens but those that take the account back to an earlier address: an intruder who moved it
   * must not void the owner's way back.
   */
  async revokeAll(userId: string, tx: Transaction): Promise<void> {
    await this.tokens.consumeAll(userId, tx);
  }
}

function newToken(token: string, purpose: Purpose): NewToken {
  return { purpose, tokenHash: hashToken(token), lifetimeSeconds: LIFETIME_SECONDS[purpose] };
}
