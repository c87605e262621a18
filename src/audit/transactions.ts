import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Actor } from '../http/caller.js';
import type { AuditType } from './audit-types.js';

/** The chain of what belongs to no organization. */
const NO_ORG = '00000000-0000-0000-0000-000000000000';

/** What an act is about. */
interface About {
  /** The user whose account it concerns. */
  userId?: string | null;
  orgId?: string | null;
  /** Ids, roles, reasons; never a secret, and no text that a person typed where they might type a password. */
  details?: Record<string, string | number | boolean | null>;
}

/** A database transaction that knows who acts in it, and from where. */
export class Transaction {
  constructor(
    readonly manager: EntityManager,
    readonly by: Actor,
  ) {}

  // biome-ignore lint/suspicious/noExplicitAny: as TypeORM has it; each repository says what its rows are.
  query<Rows = any>(statement: string, parameters: unknown[] = []): Promise<Rows> {
    return this.manager.query<Rows>(statement, parameters);
  }

  /** Records an act together with what it changes: the database keeps both, or neither. */
  record(type: AuditType, about: About = {}): Promise<void> {
    return insertEvent(this.manager, type, this.by, about);
  }

  /** Records an act that concerned several users, as an event for each of them, in one statement. */
  recordOfEach(type: AuditType, userIds: string[], about: Omit<About, 'userId'>): Promise<void> {
    return insertEvents(this.manager, type, this.by, userIds, about);
  }

  /** The same transaction with another actor, such as a user who had not logged in when it began. */
  as(actor: Partial<Actor>): Transaction {
    return new Transaction(this.manager, { ...this.by, ...actor });
  }

  /** Does some work that may fail by itself: the transaction goes on without it. */
  savepoint<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.manager.transaction((manager) => work(new Transaction(manager, this.by)));
  }
}

/** Opens transactions. */
@Injectable()
export class Transactions {
  constructor(private readonly database: DataSource) {}

  /** Does all of some work, or none of it when it throws. */
  run<Result>(by: Actor, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.database.transaction((manager) => work(new Transaction(manager, by)));
  }

  /** Records an act that changes nothing, such as a failed login, outside of a transaction. */
  record(type: AuditType, by: Actor, about: About = {}): Promise<void> {
    return insertEvent(this.database.manager, type, by, about);
  }
}

function insertEvent(
  manager: EntityManager,
  type: AuditType,
  by: Actor,
  { userId = null, ...about }: About,
): Promise<void> {
  return insertEvents(manager, type, by, [userId], about);
}

async function insertEvents(
  manager: EntityManager,
  type: AuditType,
  { userId: actorId, ip, userAgent }: Actor,
  userIds: (string | null)[],
  { orgId = null, details = {} }: Omit<About, 'userId'>,
): Promise<void> {
  await manager.query(
    `INSERT INTO audit_events (id, type, actor_id, user_id, org_id, chain_id, ip, user_agent, details)
     SELECT event.id, $3, $4, event.user_id, $5, $6, $7, $8, $9
       FROM unnest($1::uuid[], $2::uuid[]) AS event (id, user_id)`,
    [userIds.map(() => uuidv7()), userIds, type, actorId, orgId, orgId ?? NO_ORG, ip, userAgent, details],
  );
}
