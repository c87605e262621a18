import type { DataSource } from 'typeorm';
import { IS_PENDING } from '../accounts/invitations.repository.js';

const BATCH = 500;

/** A person whom another app mode would affect. */
export interface Affected {
  id: string;
  email: string;
  since: Date;
}

const USERS_WITHOUT_ORG = `
  FROM users WHERE disabled_at IS NULL AND own_role <> 'sys_admin'
   AND NOT EXISTS (SELECT FROM memberships m WHERE m.user_id = users.id)`;

/** The newest of each address that has no account. */
const PENDING_SIGNUPS = `
  FROM signups s
 WHERE expires_at > now() AND NOT EXISTS (SELECT FROM users u WHERE u.email = s.email)
   AND NOT EXISTS (SELECT FROM signups n WHERE n.email = s.email AND n.id > s.id AND n.expires_at > now())`;

const PENDING_INVITATIONS = `FROM invitations WHERE ${IS_PENDING}`;

const usersAbove = (orgsPerUser: number) => `
  FROM users WHERE (SELECT count(*) FROM memberships m WHERE m.user_id = users.id) > ${Math.trunc(orgsPerUser)}`;

/** The people whom a switch of the app mode would affect. Lists are read a batch at a time, oldest first. */
export class ModePlanRepository {
  constructor(private readonly database: DataSource) {}

  async countStranded(): Promise<{ usersWithoutOrg: number; signups: number }> {
    const [counts] = await this.database.query(
      `SELECT (SELECT count(*)::int ${USERS_WITHOUT_ORG}) AS "usersWithoutOrg", (SELECT count(*)::int ${PENDING_SIGNUPS}) AS signups`,
    );
    return counts;
  }

  /** Users who belong to no organization. */
  usersWithoutOrg(): AsyncGenerator<Affected> {
    return this.inBatches(`SELECT id, email, created_at AS since ${USERS_WITHOUT_ORG}`);
  }

  signups(): AsyncGenerator<Affected> {
    return this.inBatches(`SELECT id, email, created_at AS since ${PENDING_SIGNUPS}`);
  }

  async countAbove(orgsPerUser: number): Promise<number> {
    const [{ count }] = await this.database.query(`SELECT count(*)::int AS count ${usersAbove(orgsPerUser)}`);
    return count;
  }

  /** Users who belong to more organizations than one may. */
  usersAbove(orgsPerUser: number): AsyncGenerator<Affected> {
    return this.inBatches(`SELECT id, email, created_at AS since ${usersAbove(orgsPerUser)}`);
  }

  async countInvitations(): Promise<number> {
    const [{ count }] = await this.database.query(`SELECT count(*)::int AS count ${PENDING_INVITATIONS}`);
    return count;
  }

  invitations(): AsyncGenerator<Affected> {
    return this.inBatches(`SELECT id, email, created_at AS since ${PENDING_INVITATIONS}`);
  }

  private async *inBatches(select: string): AsyncGenerator<Affected> {
    let after: string | null = null;
    do {
      const batch: Affected[] = await this.database.query(
        `${select} AND ($1::uuid IS NULL OR id > $1) ORDER BY id LIMIT ${BATCH}`,
        [after],
      );
      yield* batch;
      after = batch.length === BATCH ? (batch.at(-1)?.id ?? null) : null;
    } while (after !== null);
  }
}
