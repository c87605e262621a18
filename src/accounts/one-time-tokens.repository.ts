import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../audit/transactions.js';
import { InvalidToken } from '../http/errors.js';
import { hashToken, mintToken } from '../secrets/token.js';
import type { Reader } from '../words/languages.js';
import { OneTimeToken, type Purpose } from './one-time-token.entity.js';
import { JOIN_MEMBERSHIP, JOIN_ORG, READER_COLUMNS } from './users.repository.js';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;

const LIFETIME_SECONDS: Record<Purpose, number> = {
  'reset-password': HOUR_SECONDS,
  'change-email': 24 * HOUR_SECONDS,
  'secure-account': 7 * 24 * HOUR_SECONDS,
  login: 10 * MINUTE_SECONDS,
  'step-up': 10 * MINUTE_SECONDS,
};

/** How long the link for the first password of an account that an admin made stays good: as long as an invitation. */
export const FIRST_PASSWORD_SECONDS = 7 * 24 * HOUR_SECONDS;

/** What is stored of a token, with its user as a reader. */
interface StoredToken extends Reader {
  userId: string;
  orgId: string | null;
  /** The address to mail it to. */
  sentTo: string;
  expiresAt: Date;
}

/** A token to be mailed, which is stored only as its hash. */
export interface IssuedToken extends StoredToken {
  token: string;
}

/** How a token is issued otherwise than usual. */
interface IssueOptions {
  lifetimeSeconds?: number;
  /** One that a mailed code makes. */
  token?: string;
}

/** The user a token belongs to, and what it was mailed for. */
export interface TokenOwner {
  id: string;
  orgId: string | null;
  email: string;
  name: string | null;
  purpose: Purpose;
  sentTo: string;
  /** When it was mailed. */
  createdAt: Date;
}

/** A change of address that waits until its user opens the mailed link. */
export interface EmailChangeAsked {
  newEmail: string;
  askedAt: Date;
  expiresAt: Date;
}

/** A statement that stores a token, and then reads what is known of its user. */
const storing = (insert: string) => `
  WITH stored AS (${insert} RETURNING user_id, sent_to, expires_at)
  SELECT s.user_id AS "userId", m.org_id AS "orgId", s.sent_to AS "sentTo", s.expires_at AS "expiresAt", ${READER_COLUMNS}
    FROM stored s JOIN users u ON u.id = s.user_id ${JOIN_ORG}`;

/** Whether a token was mailed to an address that the account can be brought back to. */
const TAKES_BACK = `
  t.purpose = 'secure-account' AND EXISTS (
    SELECT FROM email_changes c WHERE c.user_id = t.user_id AND c.old_email = t.sent_to AND c.expires_at > now()
       AND c.undone_at IS NULL)`;

/** Whether a token is in the mail that reports a factor, or an identity, which the account still has. */
const REPORTS = `
  t.purpose = 'secure-account' AND t.created_at IN (
    SELECT confirmed_at FROM totp_factors WHERE user_id = t.user_id AND confirmed_at IS NOT NULL
    UNION ALL SELECT created_at FROM recovery_codes WHERE user_id = t.user_id
    UNION ALL SELECT created_at FROM passkeys WHERE user_id = t.user_id
    UNION ALL SELECT created_at FROM identities WHERE user_id = t.user_id)`;

const OWNER = `
  SELECT u.id, m.org_id AS "orgId", u.email, u.name, t.purpose, t.sent_to AS "sentTo", t.created_at AS "createdAt"
    FROM one_time_tokens t JOIN users u ON u.id = t.user_id ${JOIN_MEMBERSHIP}
   WHERE t.token_hash = $1 AND t.purpose = ANY($2) AND t.consumed_at IS NULL AND t.expires_at > now()
     AND (t.sent_to = u.email OR t.purpose = 'change-email' OR ${TAKES_BACK})
     AND u.disabled_at IS NULL`;

/** Secrets that are mailed, and prove once that their reader owns the address. */
@Injectable()
export class OneTimeTokensRepository {
  constructor(private readonly database: DataSource) {}

  /**
   * Issues a token to the account of an address. Returns null when there is none, or it is disabled. One statement
   * whatever the answer, so that the time does not tell; its lock waits for an account that is being deleted, or moved
   * to another address, and then finds none.
   */
  async issue(
    email: string,
    purpose: Purpose,
    tx: Transaction,
    { lifetimeSeconds = LIFETIME_SECONDS[purpose], token = mintToken() }: IssueOptions = {},
  ): Promise<IssuedToken | null> {
    const [stored] = await tx.query<StoredToken[]>(
      storing(
        `INSERT INTO one_time_tokens (id, user_id, purpose, token_hash, sent_to, expires_at)
         SELECT $1::uuid, id, $2, $3::bytea, email, now() + make_interval(secs => $4)
           FROM users
          WHERE email = $5 AND disabled_at IS NULL
            FOR KEY SHARE`,
      ),
      [uuidv7(), purpose, hashToken(token), lifetimeSeconds, email],
    );
    return stored ? { token, ...stored } : null;
  }

  /**
   * Issues a token to an address: the one a user wants to change to, or the user's own, in a mail that reports a change
   * to the account, which the token undoes.
   */
  async issueTo(
    sentTo: string,
    userId: string,
    purpose: 'change-email' | 'secure-account',
    tx: Transaction,
    token = mintToken(),
  ): Promise<IssuedToken> {
    const [stored] = await tx.query<[StoredToken]>(
      storing(
        `INSERT INTO one_time_tokens (id, user_id, purpose, token_hash, sent_to, expires_at)
         VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      ),
      [uuidv7(), userId, purpose, hashToken(token), sentTo, LIFETIME_SECONDS[purpose]],
    );
    return { token, ...stored };
  }

  /** Whether a user asked to change to an address within the last minute, and still may. */
  async isFreshlyIssued(newEmail: string, userId: string, tx: Transaction): Promise<boolean> {
    const fresh = await tx.query<unknown[]>(
      `SELECT 1 FROM one_time_tokens
        WHERE user_id = $1 AND purpose = 'change-email' AND sent_to = $2 AND consumed_at IS NULL
          AND created_at > now() - interval '1 minute'`,
      [userId, newEmail],
    );
    return fresh.length > 0;
  }

  /** Whose token it is. Throws InvalidToken when it is unknown, used, expired, or went to an address since changed. */
  async ownerOf(token: string, purposes: Purpose[]): Promise<TokenOwner> {
    const [owner] = await this.database.query<TokenOwner[]>(OWNER, [hashToken(token), purposes]);
    if (!owner) throw new InvalidToken();
    return owner;
  }

  /**
   * Uses up a token that serves one of the purposes, with its siblings, and returns whose it was. Those that secure the
   * account are left to `revokeAll`. The lock on the user comes first, so that two siblings used at once wait for each
   * other instead of deadlocking. Throws InvalidToken.
   */
  async consume(token: string, purposes: Purpose[], tx: Transaction): Promise<TokenOwner> {
    const tokenHash = hashToken(token);
    await tx.query(
      'SELECT 1 FROM users WHERE id = (SELECT user_id FROM one_time_tokens WHERE token_hash = $1) FOR UPDATE',
      [tokenHash],
    );
    // By a statement of its own, which sees the membership as it is once the lock is there.
    const [owner] = await tx.query<TokenOwner[]>(OWNER, [tokenHash, purposes]);
    if (!owner || !(await useUp({ tokenHash }, tx))) throw new InvalidToken();

    if (owner.purpose !== 'secure-account') await this.revoke(owner.id, owner.purpose, tx);
    return owner;
  }

  /** Voids what is left of a user's tokens of one purpose. Returns whether there was one. */
  revoke(userId: string, purpose: Purpose, tx: Transaction): Promise<boolean> {
    return useUp({ userId, purpose }, tx);
  }

  /** The addresses that a user may still change to, newest first. */
  findEmailChanges(userId: string): Promise<EmailChangeAsked[]> {
    return this.database.query<EmailChangeAsked[]>(
      `SELECT sent_to AS "newEmail", max(created_at) AS "askedAt", max(expires_at) AS "expiresAt"
         FROM one_time_tokens
        WHERE user_id = $1 AND purpose = 'change-email' AND consumed_at IS NULL AND expires_at > now()
        GROUP BY sent_to ORDER BY max(created_at) DESC`,
      [userId],
    );
  }

  /**
   * Voids all of a user's tokens but those that take the account back to an earlier address, and those that remove a
   * factor or an identity which it still has: an intruder who moved it, or who alone has its authenticator app, must not
   * keep it because the owner used another link first.
   */
  async revokeAll(userId: string, tx: Transaction): Promise<void> {
    await tx.query(
      `UPDATE one_time_tokens t SET consumed_at = now()
        WHERE t.user_id = $1 AND t.consumed_at IS NULL AND NOT (${TAKES_BACK})
          AND NOT (${REPORTS})`,
      [userId],
    );
  }
}

/** Returns whether there was such a token to use up. */
async function useUp(
  which: { tokenHash: Buffer } | { userId: string; purpose: Purpose },
  tx: Transaction,
): Promise<boolean> {
  const unused = { ...which, consumedAt: IsNull() };
  const used = await tx.manager.update(OneTimeToken, unused, { consumedAt: () => 'now()' });
  return used.affected !== 0;
}
