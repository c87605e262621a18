import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import type { CodePurpose, MailedCode } from './mailed-code.entity.js';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;

const LIFETIME_SECONDS: Record<CodePurpose, number> = {
  'verify-email': 24 * HOUR_SECONDS,
  'reset-password': HOUR_SECONDS,
  'change-email': HOUR_SECONDS,
  login: 10 * MINUTE_SECONDS,
  'step-up': 10 * MINUTE_SECONDS,
};

const MAX_TRIES = 5;

/** A code as it is written down. */
type NewCode = Pick<MailedCode, 'browserHash' | 'purpose' | 'salt' | 'tokenHash'>;

/** The codes that were mailed beside links. */
@Injectable()
export class MailedCodesRepository {
  constructor(private readonly database: DataSource) {}

  /**
   * Writes a code down, in place of the one that the browser had for the purpose, or changes nothing of that one, its tries
   * included, which takes as long. Returns until when a new one is good.
   */
  async save(
    { browserHash, purpose, salt, tokenHash }: NewCode,
    keepsFormer: boolean,
    tx: Transaction,
  ): Promise<Date> {
    const [{ expiresAt }] = await tx.query<[Pick<MailedCode, 'expiresAt'>]>(
      `INSERT INTO mailed_codes AS former (browser_hash, purpose, salt, token_hash, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))
       ON CONFLICT (browser_hash, purpose) DO UPDATE SET
         salt = CASE WHEN $6 THEN former.salt ELSE excluded.salt END,
         token_hash = CASE WHEN $6 THEN former.token_hash ELSE excluded.token_hash END,
         tries = CASE WHEN $6 THEN former.tries ELSE 0 END,
         expires_at = CASE WHEN $6 THEN former.expires_at ELSE excluded.expires_at END
       RETURNING expires_at AS "expiresAt"`,
      [browserHash, purpose, salt, tokenHash, LIFETIME_SECONDS[purpose], keepsFormer],
    );
    return expiresAt;
  }

  /**
   * Counts a code that is about to be compared, at once and outside of any transaction: codes tried at the same time
   * count too, and no rollback takes one back. Returns null where the browser may try none.
   */
  async countTry(
    browserHash: Buffer,
    purpose: CodePurpose,
  ): Promise<Pick<MailedCode, 'salt' | 'tokenHash'> | null> {
    const [[counted]] = await this.database.query<[Pick<MailedCode, 'salt' | 'tokenHash'>[], number]>(
      `UPDATE mailed_codes SET tries = tries + 1
        WHERE browser_hash = $1 AND purpose = $2 AND tries < ${MAX_TRIES} AND expires_at > now()
       RETURNING salt, token_hash AS "tokenHash"`,
      [browserHash, purpose],
    );
    return counted ?? null;
  }

  /** Takes a try back, of the right code, unless another code is in its place by now. */
  async giveTryBack({ browserHash, purpose, salt }: Omit<NewCode, 'tokenHash'>): Promise<void> {
    await this.database.query(
      'UPDATE mailed_codes SET tries = tries - 1 WHERE browser_hash = $1 AND purpose = $2 AND salt = $3',
      [browserHash, purpose, salt],
    );
  }
}
