import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Environment } from '../config/environment.js';
import { EVENT_TYPES, eventTypesNamed } from '../config/event-types.js';
import type { Actor } from '../http/caller.js';
import type { AuditType } from './acts.js';
import { type About, insertEvents } from './insert-events.repository.js';

/** The compiler refuses a type here that is never recorded. */
const SENT: readonly AuditType[] = EVENT_TYPES;

/** Which endpoints of `SVC_WEBHOOKS` want an event: all that the record of acts knows of webhooks. */
@Injectable()
export class EventEndpoints {
  private readonly names: ReadonlyMap<AuditType, string[]>;

  constructor({ webhooks }: Environment) {
    const endpoints = webhooks.map(({ name, types }) => ({
      name,
      types: new Set<AuditType>(types.flatMap(eventTypesNamed)),
    }));
    this.names = new Map(
      SENT.map((type) => [type, endpoints.filter(({ types }) => types.has(type)).map(({ name }) => name)]),
    );
  }

  /** The names of the endpoints that want events of a type. */
  wanting(type: AuditType): string[] {
    return this.names.get(type) ?? [];
  }
}

/** A database transaction that knows who acts in it, and from where. */
export class Transaction {
  constructor(
    readonly manager: EntityManager,
    readonly by: Actor,
    private readonly endpoints: EventEndpoints,
  ) {}

  // biome-ignore lint/suspicious/noExplicitAny: as TypeORM has it; each repository says what its rows are.
  query<Rows = any>(statement: string, parameters: unknown[] = []): Promise<Rows> {
    return this.manager.query<Rows>(statement, parameters);
  }

  /** Records an act together with what it changes: the database keeps both, or neither. */
  record(type: AuditType, { userId = null, ...about }: About = {}): Promise<void> {
    return insertEvents(this.manager, type, this.endpoints.wanting(type), this.by, [userId], about);
  }

  /** Records an act that concerned several users, as an event for each of them, in one statement. */
  recordOfEach(type: AuditType, userIds: string[], about: Omit<About, 'userId'>): Promise<void> {
    return insertEvents(this.manager, type, this.endpoints.wanting(type), this.by, userIds, about);
  }

  /** The same transaction with another actor, such as a user who had not logged in when it began. */
  as(actor: Partial<Actor>): Transaction {
    return new Transaction(this.manager, { ...this.by, ...actor }, this.endpoints);
  }

  /** Does some work that may fail by itself: the transaction goes on without it. */
  savepoint<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.manager.transaction((manager) => work(new Transaction(manager, this.by, this.endpoints)));
  }
}

/** Opens transactions. */
@Injectable()
export class Transactions {
  constructor(
    private readonly database: DataSource,
    private readonly endpoints: EventEndpoints,
  ) {}

  /** Does all of some work, or none of it when it throws. */
  run<Result>(by: Actor, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.database.transaction((manager) => work(new Transaction(manager, by, this.endpoints)));
  }

  /** Records an act that changes nothing, such as a failed login, outside of a transaction. */
  record(type: AuditType, by: Actor, { userId = null, ...about }: About = {}): Promise<void> {
    return insertEvents(this.database.manager, type, this.endpoints.wanting(type), by, [userId], about);
  }
}
