import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../http/caller.js';
import type { AuditType } from './acts.js';
import { EventEndpoints } from './event-endpoints.js';
import { type About, insertEvents } from './insert-events.repository.js';

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
