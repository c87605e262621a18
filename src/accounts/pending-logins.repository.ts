import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import type { AuthMethod, CallerUser } from '../http/caller.js';
import { PendingLogin } from './pending-login.entity.js';

/** How a login began, and what it links once it is complete. */
export type Begun = Pick<PendingLogin, 'authMethod' | 'newIdentity'>;

/** How long a user may take for the second step. */
export const PENDING_LOGIN_SECONDS = 600;

/** A pending login is good until it expires, while the user is enabled and has the password of the first step. */
const IS_GOOD = `
  p.token_hash = $1 AND p.expires_at > now() AND u.id = p.user_id
  AND u.disabled_at IS NULL AND u.password_changed_at IS NOT DISTINCT FROM p.password_changed_at`;

/** The logins that lack their second step. */
@Injectable()
export class PendingLoginsRepository {
  constructor(private readonly database: DataSource) {}

  /** Inserts the pending login of a user who is locked as they were read. */
  async insert(
    { id, passwordChangedAt }: CallerUser,
    { authMethod, newIdentity }: Begun,
    tokenHash: Buffer,
    tx: Transaction,
  ): Promise<Pick<PendingLogin, 'expiresAt'>> {
    const [inserted] = await tx.query<[Pick<PendingLogin, 'expiresAt'>]>(
      `INSERT INTO pending_logins (token_hash, user_id, auth_method, new_identity, password_changed_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
       RETURNING expires_at AS "expiresAt"`,
      [tokenHash, id, authMethod, newIdentity, passwordChangedAt, PENDING_LOGIN_SECONDS],
    );
    return inserted;
  }

  /** Returns null when it is no longer valid. */
  async find(tokenHash: Buffer): Promise<Pick<PendingLogin, 'userId' | 'newIdentity' | 'expiresAt'> | null> {
    const [found] = await this.database.query<Pick<PendingLogin, 'userId' | 'newIdentity' | 'expiresAt'>[]>(
      `SELECT p.user_id AS "userId", p.new_identity AS "newIdentity", p.expires_at AS "expiresAt"
         FROM pending_logins p, users u WHERE ${IS_GOOD}`,
      [tokenHash],
    );
    return found ?? null;
  }

  /** Uses up a pending login of a user, and returns how it began. Returns null when it is another's, or no longer good. */
  async use(tokenHash: Buffer, userId: string, tx: Transaction): Promise<Begun | null> {
    const [[used]] = await tx.query<[Begun[], number]>(
      `DELETE FROM pending_logins p USING users u WHERE ${IS_GOOD} AND p.user_id = $2
       RETURNING p.auth_method AS "authMethod", p.new_identity AS "newIdentity"`,
      [tokenHash, userId],
    );
    return used ?? null;
  }

  async delete(
    which: { tokenHash: Buffer } | { userId: string; authMethod?: AuthMethod },
    tx: Transaction,
  ): Promise<void> {
    await tx.manager.delete(PendingLogin, which);
  }
}
