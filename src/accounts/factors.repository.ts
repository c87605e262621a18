import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { type Factors, hasSecondStep } from './factors.js';
import { Passkey } from './passkey.entity.js';
import { PasskeysRepository } from './passkeys.repository.js';
import { RecoveryCode } from './recovery-code.entity.js';
import { secondStepRoles } from './second-step-roles.js';
import { TotpFactor } from './totp-factor.entity.js';
import { ROLE } from './users.repository.js';

/** How many seconds an app shows a code (RFC 6238 §5.2). */
export const STEP_SECONDS = 30;

/** How long the user of a new secret may take to confirm it. */
const CONFIRMED_WITHIN = `interval '1 hour'`;

/** SQL for whether a user has a second factor. Takes the statement's name for the user, and the domain of the passkeys. */
export function hasFactorSql(user: string, rpId: string): string {
  return `(EXISTS (SELECT FROM totp_factors t WHERE t.user_id = ${user}.id AND t.confirmed_at IS NOT NULL)
        OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = ${user}.id AND p.rp_id = ${rpId}))`;
}

/** The secret of an authenticator app as it is stored, and which time step it is now by the database's clock. */
export interface StoredTotp {
  secret: Buffer;
  presentStep: number;
}

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
              (SELECT max(kept_at) FROM recovery_codes WHERE user_id = $1) AS "recoveryCodesKeptAt",
              coalesce(bool_or(asks OR guards), false) AS "isRequired",
              coalesce(bool_and(asks) AND bool_or(asks AND is_active), false) AS "isRequiredEverywhere"
         FROM (SELECT m.suspended_at IS NULL AS is_active,
                      u.own_role = ANY ($3) OR ${ROLE} = ANY ($3) OR o.second_factor_required_at IS NOT NULL AS asks,
                      'password' <> ALL (o.policy_login_methods) AS guards
                 FROM users u LEFT JOIN memberships m ON m.user_id = u.id LEFT JOIN organizations o ON o.id = m.org_id
                WHERE u.id = $1) standing`,
      [userId, this.passkeys.rpId, this.roles],
    );
    return factors as Factors;
  }

  /** Which of some users have a factor. */
  async findHolders(userIds: string[]): Promise<Set<string>> {
    const holders: { id: string }[] = await this.database.query(
      `SELECT u.id FROM unnest($1::uuid[]) AS u (id) WHERE ${hasFactorSql('u', '$2')}`,
      [userIds, this.passkeys.rpId],
    );
    return new Set(holders.map(({ id }) => id));
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

  /** Notes that the user keeps their recovery codes. */
  async keepRecoveryCodes(userId: string, tx: Transaction): Promise<void> {
    await tx.manager.update(RecoveryCode, { userId, keptAt: IsNull() }, { keptAt: () => 'now()' });
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
   * Removes what was made within the last hours, or at the instant of the mail that reports it: passkeys of any domain,
   * the authenticator app, recovery codes; also a secret that is still to be confirmed. Where no second step is left, also
   * the passkeys made since that mail: there they guard nothing, but each is a way in. Returns how many passkeys there
   * were, and whether there was an app.
   */
  async deleteMadeLately(
    hours: number,
    mailedAt: Date,
    userId: string,
    tx: Transaction,
  ): Promise<{ passkeys: number; hadTotp: boolean }> {
    const deleteFrom = async (table: string, madeAt: string, orSince = false) => {
      const [, deleted] = await tx.query<[unknown, number]>(
        `DELETE FROM ${table}
          WHERE user_id = $1
            AND (${madeAt} >= now() - make_interval(hours => $2) OR ${madeAt} = $3 OR ${madeAt} > $3 AND $4)`,
        [userId, hours, mailedAt, orSince],
      );
      return deleted;
    };
    await tx.manager.delete(TotpFactor, { userId, confirmedAt: IsNull() });
    await deleteFrom('recovery_codes', 'created_at');
    const hadTotp = (await deleteFrom('totp_factors', 'confirmed_at')) > 0;
    const isGuarded = hasSecondStep(await this.findOf(userId, tx));
    return { passkeys: await deleteFrom('passkeys', 'created_at', !isGuarded), hadTotp };
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
