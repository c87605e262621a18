import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { InvalidToken } from '../errors/errors.js';
import { hashToken, mintToken } from '../secrets/token.js';
import { OneTimeToken, type Purpose } from './one-time-token.entity.js';

const HOUR_SECONDS = 3600;

const LIFETIME_SECONDS: Record<Purpose, number> = {
  'verify-email': 24 * HOUR_SECONDS,
  'reset-password': HOUR_SECONDS,
  'change-email': 24 * HOUR_SECONDS,
  'secure-account': 7 * 24 * HOUR_SECONDS,
};

/** A token and the address it is to be mailed to. */
export interface IssuedToken {
  token: string;
  userId: string;
  sentTo: string;
  expiresAt: Date;
}

/** The user a token belongs to, and what it was mailed for. */
export interface TokenOwner {
  id: string;
  email: string;
  name: string | null;
  purpose: Purpose;
  sentTo: string;
}

/** Secrets that are mailed, and prove once that their reader owns the address. */
@Injectable()
export class OneTimeTokens {
  constructor(private readonly database: DataSource) {}

  /**
   * Issues a token to the account of an address. Returns null when there is none, it is disabled, or it has nothing
   * left to verify. One statement whatever the answer, so that the time does not tell; its lock waits for an account
   * that is being deleted, or moved to another address, and then finds none.
   */
  async issue(email: string, purpose: Purpose, manager = this.database.manager): Promise<IssuedToken | null> {
    const token = mintToken();
    const [issued] = await manager.query<Omit<IssuedToken, 'token'>[]>(
      `INSERT INTO one_time_tokens (id, user_id, purpose, token_hash, sent_to, expires_at)
       SELECT $1::uuid, id, $2, $3::bytea, email, now() + make_interval(secs => $4)
         FROM users
        WHERE email = $5 AND disabled_at IS NULL AND ($2 <> 'verify-email' OR email_verified_at IS NULL)
          FOR KEY SHARE
       RETURNING user_id AS "userId", sent_to AS "sentTo", expires_at AS "expiresAt"`,
      [uuidv7(), purpose, hashToken(token), LIFETIME_SECONDS[purpose], email],
    );
    return issued ? { token, ...issued } : null;
  }

  /**
   * Issues a token to the address a user wants to change to. Returns null when that has an account. One statement,
   * as above.
   */
  async issueTo(newEmail: string, userId: string, manager: EntityManager): Promise<IssuedToken | null> {
    const token = mintToken();
    const [issued] = await manager.query<Omit<IssuedToken, 'token'>[]>(
      `INSERT INTO one_time_tokens (id, user_id, purpose, token_hash, sent_to, expires_at)
       SELECT $1::uuid, $2::uuid, 'change-email', $3::bytea, $4::text, now() + make_interval(secs => $5)
        WHERE NOT EXISTS (SELECT 1 FROM users WHERE email = $4)
       RETURNING user_id AS "userId", sent_to AS "sentTo", expires_at AS "expiresAt"`,
      [uuidv7(), userId, hashToken(token), newEmail, LIFETIME_SECONDS['change-email']],
    );
    return issued ? { token, ...issued } : null;
  }

  /** Issues a token for a mail that tells the owner of a change to the account, which the token undoes. */
  async issueToSecure(userId: string, sentTo: string, manager: EntityManager): Promise<IssuedToken> {
    const token = mintToken();
    const [{ expiresAt }] = await manager.query<[{ expiresAt: Date }]>(
      `INSERT INTO one_time_tokens (id, user_id, purpose, token_hash, sent_to, expires_at)
       VALUES ($1, $2, 'secure-account', $3, $4, now() + make_interval(secs => $5))
       RETURNING expires_at AS "expiresAt"`,
      [uuidv7(), userId, hashToken(token), sentTo, LIFETIME_SECONDS['secure-account']],
    );
    return { token, userId, sentTo, expiresAt };
  }

  /**
   * Whose token it is. Throws InvalidToken when it is unknown, used, expired, or went to an address since changed;
   * one that secures the account still works at the old address while the change can be undone.
   */
  async ownerOf(token: string, purposes: Purpose[]): Promise<TokenOwner> {
    const [owner] = await this.database.query<TokenOwner[]>(OWNER, [hashToken(token), purposes]);
    if (!owner) throw new InvalidToken();
    return owner;
  }

  /**
   * Uses up a token that serves one of the purposes, with its siblings, and tells whose it was. Those that secure the
   * account are left to `revokeAll`. The lock on the user comes first, so that two siblings used at once wait for each
   * other instead of deadlocking. Throws InvalidToken.
   */
  async consume(token: string, purposes: Purpose[], manager: EntityManager): Promise<TokenOwner> {
    const [owner] = await manager.query<TokenOwner[]>(`${OWNER} FOR UPDATE OF u`, [
      hashToken(token),
      purposes,
    ]);
    if (!owner) throw new InvalidToken();

    const used = await manager.update(
      OneTimeToken,
      { tokenHash: hashToken(token), consumedAt: IsNull() },
      NOW,
    );
    if (used.affected !== 1) throw new InvalidToken();
    if (owner.purpose !== 'secure-account') await this.revoke(owner.id, owner.purpose, manager);
    return owner;
  }

  /** Voids what is left of a user's tokens of one purpose. */
  async revoke(userId: string, purpose: Purpose, manager: EntityManager): Promise<void> {
    await manager.update(OneTimeToken, { userId, purpose, consumedAt: IsNull() }, NOW);
  }

  /**
   * Voids all of a user's tokens but those that take the account back to an earlier address: an intruder who moved it
   * must not void the owner's way back.
   */
  async revokeAll(userId: string, manager: EntityManager): Promise<void> {
    await manager.query(
      `UPDATE one_time_tokens t SET consumed_at = now()
        WHERE t.user_id = $1 AND t.consumed_at IS NULL AND NOT (${TAKES_BACK})`,
      [userId],
    );
  }
}

const NOW = { consumedAt: () => 'now()' };

/** Whether a token was mailed to an address that the account can be brought back to. */
const TAKES_BACK = `
  t.purpose = 'secure-account' AND EXISTS (
    SELECT FROM email_changes c WHERE c.user_id = t.user_id AND c.old_email = t.sent_to AND c.expires_at > now())`;

const OWNER = `
  SELECT u.id, u.email, u.name, t.purpose, t.sent_to AS "sentTo"
    FROM one_time_tokens t JOIN users u ON u.id = t.user_id
   WHERE t.token_hash = $1 AND t.purpose = ANY($2) AND t.consumed_at IS NULL AND t.expires_at > now()
     AND (t.sent_to = u.email OR t.purpose = 'change-email' OR ${TAKES_BACK})
     AND u.disabled_at IS NULL`;
