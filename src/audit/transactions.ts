import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { Environment } from '../config/environment.js';
import { EVENT_TYPES, eventTypesNamed } from '../config/event-types.js';
import type { Actor } from '../http/caller.js';
import { type AuditType, isOfPerson } from './audit-types.js';

/** The compiler refuses a type here that is never recorded. */
const SENT: readonly AuditType[] = EVENT_TYPES;

/** What an act is about. */
export interface About {
  /** The user whose account it concerns. */
  userId?: string | null;
  orgId?: string | null;
  /** Whether the act concerns a person alone, though its type may also be of an organization: a change of the own role. */
  isOfPerson?: boolean;
  /** Ids, roles, reasons; never a secret, and no text that a person typed where they might type a password. */
  details?: Record<string, string | number | boolean | null>;
}

/** What the settings say of acts that are recorded. */
@Injectable()
export class RecordRules {
  private readonly names: ReadonlyMap<AuditType, string[]>;
  private readonly isOneOrgAUser: boolean;

  constructor({ webhooks, orgsPerUser }: Environment) {
    this.isOneOrgAUser = orgsPerUser === 1;
    const endpoints = webhooks.map(({ name, types }) => ({
      name,
      types: new Set<AuditType>(types.flatMap(eventTypesNamed)),
    }));
    this.names = new Map(
      SENT.map((type) => [type, endpoints.filter(({ types }) => types.has(type)).map(({ name }) => name)]),
    );
  }

  /**
   * The organization that an act is recorded in. Where users can belong to several, an act of a person is recorded in none:
   * one organization would see where its members log in for another, and by the silence of the rest who has another.
   */
  orgOf(type: AuditType, orgId: string | null, isPersonal = isOfPerson(type)): string | null {
    return this.isOneOrgAUser || !isPersonal ? orgId : null;
  }

  /** The names of the endpoints of `SVC_WEBHOOKS` that want events of a type: all that the record of acts knows of webhooks. */
  wanting(type: AuditType): string[] {
    return this.names.get(type) ?? [];
  }
}

/** A database transaction that knows who acts in it, and from where. */
export class Transaction {
  constructor(
    readonly manager: EntityManager,
    readonly by: Actor,
    private readonly rules: RecordRules,
  ) {}

  // biome-ignore lint/suspicious/noExplicitAny: as TypeORM has it; each repository says what its rows are.
  query<Rows = any>(statement: string, parameters: unknown[] = []): Promise<Rows> {
    return this.manager.query<Rows>(statement, parameters);
  }

  /** Records an act together with what it changes: the database keeps both, or neither. */
  record(type: AuditType, { userId = null, ...about }: About = {}): Promise<void> {
    return insertEvents(this.manager, type, this.rules, this.by, [userId], about);
  }

  /** Records an act that concerned several users, as an event for each of them, in one statement. */
  recordOfEach(type: AuditType, userIds: string[], about: Omit<About, 'userId'>): Promise<void> {
    return insertEvents(this.manager, type, this.rules, this.by, userIds, about);
  }

  /** The same transaction with another actor, such as a user who had not logged in when it began. */
  as(actor: Partial<Actor>): Transaction {
    return new Transaction(this.manager, { ...this.by, ...actor }, this.rules);
  }

  /** Does some work that may fail by itself: the transaction goes on without it. */
  savepoint<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.manager.transaction((manager) => work(new Transaction(manager, this.by, this.rules)));
  }
}

/** Opens transactions. */
@Injectable()
export class Transactions {
  constructor(
    private readonly database: DataSource,
    private readonly rules: RecordRules,
  ) {}

  /** Does all of some work, or none of it when it throws. */
  run<Result>(by: Actor, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.database.transaction((manager) => work(new Transaction(manager, by, this.rules)));
  }

  /** Records an act that changes nothing, such as a failed login, outside of a transaction. */
  record(type: AuditType, by: Actor, { userId = null, ...about }: About = {}): Promise<void> {
    return insertEvents(this.database.manager, type, this.rules, by, [userId], about);
  }
}

/** The chain of what belongs to no organization. */
const NO_ORG = '00000000-0000-0000-0000-000000000000';

const INSERT_EVENTS = `
  INSERT INTO audit_events (id, type, actor_id, user_id, org_id, chain_id, ip, user_agent, details)
  SELECT event.id, $3, $4, event.user_id, $5, $6, $7, $8, $9
    FROM unnest($1::uuid[], $2::uuid[]) AS event (id, user_id)`;

/** The workers wake when the transaction commits. */
const INSERT_EVENTS_AND_DELIVERIES = `
  WITH event AS (${INSERT_EVENTS}
  ), delivery AS (
    INSERT INTO webhook_deliveries (id, event_id, endpoint)
    SELECT * FROM unnest($10::uuid[], $11::uuid[], $12::text[])
  )
  SELECT pg_notify('webhook_deliveries', '')`;

/**
 * Writes an event for each of some users (null: for an act that concerns none), and a delivery of it for each endpoint,
 * in one statement.
 */
async function insertEvents(
  manager: EntityManager,
  type: AuditType,
  rules: RecordRules,
  by: Actor,
  givenUserIds: (string | null)[],
  { orgId: givenOrgId = null, isOfPerson: isPersonal, details: given = {} }: Omit<About, 'userId'>,
): Promise<void> {
  const { ip, userAgent } = by;
  const { actorId, userIds, details } = inWhoseName(by, givenUserIds, given);
  const [endpoints, orgId] = [rules.wanting(type), rules.orgOf(type, givenOrgId, isPersonal)];
  const ids = userIds.map(() => uuidv7());
  const event = [ids, userIds, type, actorId, orgId, orgId ?? NO_ORG, ip, userAgent, details];
  if (endpoints.length === 0) return manager.query(INSERT_EVENTS, event);

  const deliveries = ids.flatMap((eventId) => endpoints.map((endpoint) => ({ eventId, endpoint })));
  await manager.query(INSERT_EVENTS_AND_DELIVERIES, [
    ...event,
    deliveries.map(() => uuidv7()),
    deliveries.map(({ eventId }) => eventId),
    deliveries.map(({ endpoint }) => endpoint),
  ]);
}

/**
 * Who did an act, and in whose name: an admin who acts for a user is named as the one who did it, and the user as the one for
 * whom, be the act about the user or about another.
 */
function inWhoseName(
  { userId, adminId }: Actor,
  userIds: (string | null)[],
  details: NonNullable<About['details']>,
) {
  if (adminId === undefined) return { actorId: userId, userIds, details };
  return {
    actorId: adminId,
    userIds: userIds.map((id) => id ?? userId),
    details: { ...details, acting_for: userId },
  };
}
