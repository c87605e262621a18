import type { DataSource } from 'typeorm';
import { IS_PENDING } from '../orgs/invitations.repository.js';

const BATCH = 500;

/** Somebody whom another app mode would concern. */
export interface Concerned {
  id: string;
  email: string;
  since: Date;
}

/** A user for whom there is no way on in B2B. */
export interface Stranded extends Concerned {
  isVerified: boolean;
}

const STRANDED_IN_B2B = `
  FROM users
 WHERE disabled_at IS NULL AND role <> 'sys_admin' AND (org_id IS NULL OR email_verified_at IS NULL)`;

const PENDING_INVITATIONS = `FROM invitations WHERE ${IS_PENDING}`;

/** Whom a switch of the app mode would concern. Lists are read a batch at a time, oldest first. */
export class ModePlanRepository {
  constructor(private readonly database: DataSource) {}

  async countStranded(): Promise<{ withoutOrganization: number; unverified: number }> {
    const [counts] = await this.database.query(
      `SELECT count(*) FILTER (WHERE email_verified_at IS NOT NULL)::int AS "withoutOrganization",
              count(*) FILTER (WHERE email_verified_at IS NULL)::int AS unverified
       ${STRANDED_IN_B2B}`,
    );
    return counts;
  }

  stranded(): AsyncGenerator<Stranded> {
    return this.inBatches(
      `SELECT id, email, created_at AS since, email_verified_at IS NOT NULL AS "isVerified" ${STRANDED_IN_B2B}`,
    );
  }

  async countInvitations(): Promise<number> {
    const [{ count }] = await this.database.query(`SELECT count(*)::int AS count ${PENDING_INVITATIONS}`);
    return count;
  }

  invitations(): AsyncGenerator<Concerned> {
    return this.inBatches(`SELECT id, email, created_at AS since ${PENDING_INVITATIONS}`);
  }

  private async *inBatches<T extends Concerned>(select: string): AsyncGenerator<T> {
    let after: string | null = null;
    do {
      const batch: T[] = await this.database.query(
        `${select} AND ($1::uuid IS NULL OR id > $1) ORDER BY id LIMIT ${BATCH}`,
        [after],
      );
      yield* batch;
      after = batch.length === BATCH ? (batch.at(-1)?.id ?? null) : null;
    } while (after !== null);
  }
}
