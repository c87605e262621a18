import type { DataSource } from 'typeorm';
import { IS_PENDING } from '../orgs/invitations.repository.js';

const BATCH = 500;

/** Somebody whom another app mode would concern. */
export interface Concerned {
  id: string;
  email: string;
  since: Date;
}

const LONERS = `FROM users WHERE disabled_at IS NULL AND role <> 'sys_admin' AND org_id IS NULL`;

/** The newest of each address that has no account. */
const PENDING_SIGNUPS = `
  FROM signups s
 WHERE expires_at > now() AND NOT EXISTS (SELECT FROM users u WHERE u.email = s.email)
   AND NOT EXISTS (SELECT FROM signups n WHERE n.email = s.email AND n.id > s.id AND n.expires_at > now())`;

const PENDING_INVITATIONS = `FROM invitations WHERE ${IS_PENDING}`;

/** Whom a switch of the app mode would concern. Lists are read a batch at a time, oldest first. */
export class ModePlanRepository {
  constructor(private readonly database: DataSource) {}

  async countStranded(): Promise<{ loners: number; signups: number }> {
    const [counts] = await this.database.query(
      `SELECT (SELECT count(*)::int ${LONERS}) AS loners, (SELECT count(*)::int ${PENDING_SIGNUPS}) AS signups`,
    );
    return counts;
  }

  /** Users who belong to no organization. */
  loners(): AsyncGenerator<Concerned> {
    return this.inBatches(`SELECT id, email, created_at AS since ${LONERS}`);
  }

  signups(): AsyncGenerator<Concerned> {
    return this.inBatches(`SELECT id, email, created_at AS since ${PENDING_SIGNUPS}`);
  }

  async countInvitations(): Promise<number> {
    const [{ count }] = await this.database.query(`SELECT count(*)::int AS count ${PENDING_INVITATIONS}`);
    return count;
  }

  invitations(): AsyncGenerator<Concerned> {
    return this.inBatches(`SELECT id, email, created_at AS since ${PENDING_INVITATIONS}`);
  }

  private async *inBatches(select: string): AsyncGenerator<Concerned> {
    let after: string | null = null;
    do {
      const batch: Concerned[] = await this.database.query(
        `${select} AND ($1::uuid IS NULL OR id > $1) ORDER BY id LIMIT ${BATCH}`,
        [after],
      );
      yield* batch;
      after = batch.length === BATCH ? (batch.at(-1)?.id ?? null) : null;
    } while (after !== null);
  }
}
