import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../audit/transactions.js';
import { OneTimeToken, type Purpose } from './one-time-token.entity.js';

/** What is known of a token when it is issued. */
export interface NewToken {
  purpose: Purpose;
  tokenHash: Buffer;
  lifetimeSeconds: number;
}

/** A token that was stored, and the address it is to be mailed to. */
export interface StoredToken {
  userId: string;
  orgId: string | null;
  sentTo: string;
  expiresAt: Date;
}

/** The user a token belongs to, and what it was mailed for. */
export interface TokenOwner {
  id: string;
  orgId: string | null;
  email: string;
  name: string | null;
  purpose: Purpose;
  sentTo: string;
}

const STORED = `
  RETURNING user_id AS "userId", (SELECT u.org_id FROM users u WHERE u.id = user_id) AS "orgId",
            sent_to AS "sentTo", expires_at AS "expiresAt"`;

/** Whether a token was mailed to an address that the account can be brought back to. */
const TAKES_BACK = `
  t.purpose = 'secure-account' AND EXISTS (
    SELECT FROM email_changes c WHERE c.user_id = t.user_id AND c.old_email = t.sent_to AND c.expires_at > now()
       AND c.undone_at IS NULL)`;

const OWNER = `
  SELECT u.id, u.org_id AS "orgId", u.email, u.name, t.purpose, t.sent_to AS "sentTo"
    FROM one_time_tokens t JOIN users u ON u.id = t.user_id
   WHERE t.token_hash = $1 AND t.purpose = ANY($2) AND t.consumed_at IS NULL AND t.expires_at > now()
     AND (t.sent_to = u.email OR t.purpose = 'change-email' OR ${TAKES_BACK})
     AND u.disabled_at IS NULL`;

@Injectable()
export class OneTimeTokensRepository {
  constructor(private readonly database: DataSource) {}

  /**
   * Inserts a token for the account of an address. Returns null when there is none, or it is disabled. One
   * statement whatever the answer, so that the time does not tell; its lock waits for an account
   * that is being deleted, or moved to another address, and then finds none.
   */
  async insertForAccount(
    email: string,
    { purpose, tokenHash, lifetimeSeconds }: NewToken,
    tx: Transaction,
  ): Promise<StoredToken | null> {
    const [stored] = await tx.query<StoredToken[]>(
      `INSERT INTO one_time_tokens (id, user_id, purpose, token_hash, sent_to, expires_at)
       SELECT $1::uuid, id, $2, $3::bytea, email, now() + make_interval(secs => $4)
         FROM users
        WHERE email = $5 AND disabled_at IS NULL
          FOR KEY SHARE
       ${STORED}`,
      [uuidv7(), purpose, tokenHash, lifetimeSeconds, email],
    );
    return stored ?? null;
  }

  async insert(
    userId: string,
    sentTo: string,
    { purpose, tokenHash, lifetimeSeconds }: NewToken,
    tx: Transaction,
  ): Promise<StoredToken> {
    const [stored] = await tx.query<[StoredToken]>(
      `INSERT INTO one_time_tokens (id, user_id, purpose, token_hash, sent_to, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
       ${STORED}`,
      [uuidv7(), userId, purpose, tokenHash, sentTo, lifetimeSeconds],
    );
    return stored;
  }

  /** Whether a user was issued a token of a purpose for an address within a minute, and it is not used up. */
  async isFreshlyIssued(userId: string, purpose: Purpose, sentTo: string, tx: Transaction): Promise<boolean> {
    const fresh = await tx.query<unknown[]>(
      `SELECT 1 FROM one_time_tokens
        WHERE user_id = $1 AND purpose = $2 AND sent_to = $3 AND consumed_at IS NULL
          AND created_at > now() - interval '1 minute'`,
      [userId, purpose, sentTo],
    );
    return fresh.length > 0;
  }

  /** Whose token it is. Returns null when it is unknown, used, expired, or went to an address since changed. */
  async findOwner(tokenHash: Buffer, purposes: Purpose[]): Promise<TokenOwner | null> {
    const [owner] = await this.database.query<TokenOwner[]>(OWNER, [tokenHash, purposes]);
    return owner ?? null;
  }

  /** Whose token it is, as above, with the user held until the transaction ends. */
  async lockOwner(tokenHash: Buffer, purposes: Purpose[], tx: Transaction): Promise<TokenOwner | null> {
    const [owner] = await tx.query<TokenOwner[]>(`${OWNER} FOR UPDATE OF u`, [tokenHash, purposes]);
    return owner ?? null;
  }

  /** Returns whether there was such a token to use up. */
  async consume(
    which: { tokenHash: Buffer } | { userId: string; purpose: Purpose },
    tx: Transaction,
  ): Promise<boolean> {
    const unused = { ...which, consumedAt: IsNull() };
    const used = await tx.manager.update(OneTimeToken, unused, { consumedAt: () => 'now()' });
    return used.affected !== 0;
  }

  /** Uses up all tokens of a user but those that take the account back to an earlier address. */
  async consumeAll(userId: string, tx: Transaction): Promise<void> {
    await tx.query(
      `UPDATE one_time_tokens t SET consumed_at = now()
        WHERE t.user_id = $1 AND t.consumed_at IS NULL AND NOT (${TAKES_BACK})`,
      [userId],
    );
  }
}
