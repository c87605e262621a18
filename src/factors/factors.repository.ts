import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, MoreThan, Not } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import type { Factors } from './factors.js';
import { Passkey } from './passkey.entity.js';
import { PasskeysRepository } from './passkeys.repository.js';
import { RecoveryCode } from './recovery-code.entity.js';
import { secondStepRoles } from './second-step-roles.js';
import { STEP_SECONDS } from './totp.js';
import { TotpFactor } from './totp-factor.entity.js';

/** How long the user of a new secret may take to confirm it. */
const CONFIRMED_WITHIN = `interval '1 hour'`;

/** The secret of an authenticator app as it is stored, and which time step it is now by the database's clock. */
export interface StoredTotp {
  secret: Buffer;
  presentStep: number;
}

/** Secrets of one statement: some milliseconds of work each time, so that logins go on beside it. */
const SEALED_TOGETHER = 1_000;

/** A secret as it is stored. */
export type SealedSecret = Pick<TotpFactor, 'userId' | 'secret'>;

/** The second factors of users, and which users must have one. Passkeys have a repository of their own. */
@Injectable()
export class FactorsRepository {
  private readonly roles: string[];

  constructor(
    private readonly database: DataSource,
    private readonly passkeys: PasskeysRepository,
    environment: Environment,
  ) {
    this.roles = secondStepRoles(environment);
  }

  /** The factors of a user. In a transaction that has locked them, they stay so until it ends. */
  async findOf(userId: string, { manager }: Pick<Transaction, 'manager'> = this.database): Promise<Factors> {
    const [factors] = await manager.query<Factors[]>(
      `SELECT (SELECT created_at FROM totp_factors WHERE user_id = $1 AND confirmed_at IS NOT NULL) AS "totpCreatedAt",
              (SELECT count(*)::int FROM passkeys WHERE user_id = $1 AND rp_id = $2) AS passkeys,
              (SELECT count(*)::int FROM recovery_codes WHERE user_id = $1) AS "recoveryCodesLeft",
              EXISTS (SELECT FROM users u LEFT JOIN organizations o ON o.id = u.org_id
                       WHERE u.id = $1 AND (u.role = ANY ($3) OR o.second_factor_required_at IS NOT NULL)) AS "isRequired"`,
      [userId, this.passkeys.rpId, this.roles],
    );
    return factors as Factors;
  }

  /** Which of some users have a factor. */
  async findHolders(userIds: string[]): Promise<Set<string>> {
    const { manager } = this.database;
    const whose = { userId: In(userIds) };
    const holders = await Promise.all([
      manager.find(TotpFactor, { select: { userId: true }, where: { ...whose, confirmedAt: Not(IsNull()) } }),
      manager.find(Passkey, { select: { userId: true }, where: { ...whose, rpId: this.passkeys.rpId } }),
    ]);
    return new Set(holders.flat().map(({ userId }) => userId));
  }

  /**
   * Stores a secret that is still to be confirmed, in place of another such one. Returns false when one is confirmed.
   */
  async beginTotp(userId: string, secret: Buffer, tx: Transaction): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `INSERT INTO totp_factors AS t (user_id, secret) VALUES ($1, $2)
       ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, created_at = now(), last_step = 0
        WHERE t.confirmed_at IS NULL
       RETURNING user_id`,
      [userId, secret],
    );
    return rows.length === 1;
  }

  /** The secret that a user has confirmed. */
  findTotp(userId: string, tx: Transaction): Promise<StoredTotp | null> {
    return this.findSecret('confirmed_at IS NOT NULL', userId, tx);
  }

  /** The secret that a user has still to confirm. */
  findNewTotp(userId: string, tx: Transaction): Promise<StoredTotp | null> {
    return this.findSecret(`confirmed_at IS NULL AND created_at > now() - ${CONFIRMED_WITHIN}`, userId, tx);
  }

  /** Uses up the code of a time step. Returns false when it, or that of a later step, was used before. */
  async useStep(userId: string, step: number, tx: Transaction): Promise<boolean> {
    const [, used] = await tx.query<[unknown, number]>(
      'UPDATE totp_factors SET last_step = $2 WHERE user_id = $1 AND last_step < $2',
      [userId, step],
    );
    return used === 1;
  }

  /** Makes a new secret the user's factor. */
  async confirmTotp(userId: string, tx: Transaction): Promise<void> {
    await tx.manager.update(TotpFactor, { userId }, { confirmedAt: () => 'now()' });
  }

  /** Removes the authenticator app. Returns false when the user has none. */
  async deleteTotp(userId: string, tx: Transaction): Promise<boolean> {
    const deleted = await tx.manager.delete(TotpFactor, { userId, confirmedAt: Not(IsNull()) });
    return deleted.affected === 1;
  }

  async replaceRecoveryCodes(userId: string, codeHashes: Buffer[], tx: Transaction): Promise<void> {
    await this.deleteRecoveryCodes(userId, tx);
    await tx.manager.insert(
      RecoveryCode,
      codeHashes.map((codeHash) => ({ userId, codeHash })),
    );
  }

  /** Uses up a recovery code. Returns false when the user has no such code. */
  async useRecoveryCode(userId: string, codeHash: Buffer, tx: Transaction): Promise<boolean> {
    return (await tx.manager.delete(RecoveryCode, { userId, codeHash })).affected === 1;
  }

  async deleteRecoveryCodes(userId: string, tx: Transaction): Promise<void> {
    await tx.manager.delete(RecoveryCode, { userId });
  }

  /** Removes every factor of a user. */
  async deleteAll(userId: string, tx: Transaction): Promise<void> {
    for (const entity of [TotpFactor, RecoveryCode, Passkey]) await tx.manager.delete(entity, { userId });
  }

  /**
   * Removes what was added within the last hours, or since an instant, passkeys of any domain included. Returns how
   * many passkeys there were, and whether an authenticator app was among them.
   */
  async deleteMadeLately(
    hours: number,
    since: Date,
    userId: string,
    tx: Transaction,
  ): Promise<{ passkeys: number; hadTotp: boolean }> {
    const deleteFrom = async (table: string, madeAt: string) => {
      const [, deleted] = await tx.query<[unknown, number]>(
        `DELETE FROM ${table} WHERE user_id = $1 AND ${madeAt} >= least(now() - make_interval(hours => $2), $3)`,
        [userId, hours, since],
      );
      return deleted;
    };
    await deleteFrom('recovery_codes', 'created_at');
    await tx.manager.delete(TotpFactor, { userId, confirmedAt: IsNull() });
    return {
      passkeys: await deleteFrom('passkeys', 'created_at'),
      hadTotp: (await deleteFrom('totp_factors', 'confirmed_at')) > 0,
    };
  }

  /** All stored secrets, in batches. */
  async *sealedSecrets(): AsyncGenerator<SealedSecret[]> {
    let after: string | undefined;
    do {
      const batch = await this.database.manager.find(TotpFactor, {
        select: { userId: true, secret: true },
        where: after === undefined ? {} : { userId: MoreThan(after) },
        order: { userId: 'ASC' },
        take: SEALED_TOGETHER,
      });
      yield batch;
      after = batch.length === SEALED_TOGETHER ? batch.at(-1)?.userId : undefined;
    } while (after !== undefined);
  }

  /** Replaces secrets as they were read, and returns how many had not changed since. */
  async replaceSealed(secrets: (SealedSecret & { renewed: Buffer })[]): Promise<number> {
    const [, replaced] = await this.database.query<[unknown, number]>(
      `UPDATE totp_factors t SET secret = n.renewed
         FROM unnest($1::uuid[], $2::bytea[], $3::bytea[]) AS n (user_id, secret, renewed)
        WHERE t.user_id = n.user_id AND t.secret = n.secret`,
      [
        secrets.map(({ userId }) => userId),
        secrets.map(({ secret }) => secret),
        secrets.map(({ renewed }) => renewed),
      ],
    );
    return replaced;
  }

  private async findSecret(condition: string, userId: string, tx: Transaction): Promise<StoredTotp | null> {
    const [found] = await tx.query<StoredTotp[]>(
      `SELECT secret, floor(extract(epoch FROM clock_timestamp()) / ${STEP_SECONDS})::float AS "presentStep"
         FROM totp_factors WHERE user_id = $1 AND ${condition}`,
      [userId],
    );
    return found ?? null;
  }
}
