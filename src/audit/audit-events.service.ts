import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { EntityManager } from 'typeorm';
import type { Actor, Caller, Recheck } from '../http/caller.js';
import { csvOf, filtersIn } from '../http/csv.js';
import { InsufficientRole, ValidationFailed } from '../http/errors.js';
import { type Page, pageOf } from '../http/page.js';
import { fieldError } from '../http/problem.js';
import { isAtLeast, Role } from '../http/role.js';
import type { Described } from '../validation/schema.js';
import type { ExportAuditEvents, ListAuditEvents } from './audit.dto.js';
import { type AuditEventSchema, auditEventView, EVENT_COLUMNS } from './audit-event.view.js';
import {
  AuditEventsRepository,
  type CountedDay,
  type Found,
  MOST_PEOPLE,
  type NamedEvent,
  type Scope,
} from './audit-events.repository.js';
import { daysUntil } from './days.js';
import { Transactions } from './transactions.js';

const DAYS = 30;

/** Events of a copy that are in memory at a time. */
const EVENTS_AT_A_TIME = 500;

/** Who reads: in an acting session an admin, who is to see nothing of the user's other organizations. */
type Reader = Pick<Caller, 'user' | 'session'>;

/** What has been recorded, as far as the reader may see it. */
@Injectable()
export class AuditEventsService {
  constructor(
    private readonly events: AuditEventsRepository,
    private readonly transactions: Transactions,
  ) {}

  /** A page of events, newest first. It leaves out where acts from above came from. Throws as `scopeOf`. */
  async list(caller: Reader, query: ListAuditEvents): Promise<Page<NamedEvent>> {
    const scope = scopeOf(caller, query);
    const found = await this.search(scope, query);
    return pageOf(query, (before, limit) =>
      this.events.findAll(caller.user, scope, { ...query, found }, before, limit),
    );
  }

  /** How many events of a user there were on each of the last thirty days in UTC, the oldest first; today is the last. */
  countDays(userId: string): Promise<CountedDay[]> {
    return this.events.countDays(userId, daysUntil(new Date(), DAYS));
  }

  /** The whole list as a file, and records that it left the service. Throws as `list`. */
  async export(caller: Reader, query: ExportAuditEvents, by: Actor, recheck: Recheck): Promise<Readable> {
    const scope = scopeOf(caller, query);
    const found = await this.search(scope, query);
    const csv = await csvOf<NamedEvent>(
      {
        columns: EVENT_COLUMNS,
        read: (last, limit) =>
          this.events.findAll(caller.user, scope, { ...query, found }, last?.id ?? null, limit),
        view: (events) => events.map(auditEventView),
      },
      recheck,
    );
    const details = { list: 'activity', scope: query.scope, ...filtersIn({ ...query, scope: undefined }) };
    await this.transactions.record('list.exported', by, { orgId: scope.orgId ?? null, details });
    return csv;
  }

  /** All that a user did and that was done to them, newest first, as a snapshot has it. It names nobody but them. */
  async *eventsOf(
    userId: string,
    snapshot: EntityManager,
  ): AsyncGenerator<Described<typeof AuditEventSchema>[], void, undefined> {
    for (let last: string | null = null; ; ) {
      const events: NamedEvent[] = await this.events.findOwn(userId, last, EVENTS_AT_A_TIME, snapshot);
      yield events.map(auditEventView);
      if (events.length < EVENTS_AT_A_TIME) return;
      last = events.at(-1)?.id ?? null;
    }
  }

  /** The people and the id that a search is about. Throws ValidationFailed for what more people have than are looked up. */
  private async search(scope: Scope, { search }: ExportAuditEvents): Promise<Found | undefined> {
    if (search === undefined) return undefined;
    const people = await this.events.findPeople(scope, search);
    if (people.length > MOST_PEOPLE)
      throw new ValidationFailed([fieldError('search', { code: 'too_many_people', max: MOST_PEOPLE })]);
    return isUUID(search.trim()) ? { people: [...people, search.trim()], id: search.trim() } : { people };
  }
}

/** Throws InsufficientRole, and ValidationFailed where the scope allows no choice of an organization, or no search. */
function scopeOf({ user: reader, session }: Reader, { scope, org_id, search }: ExportAuditEvents): Scope {
  if (org_id !== undefined && scope !== 'all')
    throw new ValidationFailed([fieldError('org_id', { code: 'goes_with_all' })]);
  if (search !== undefined && scope === 'me')
    throw new ValidationFailed([fieldError('search', { code: 'goes_with_org_or_all' })]);
  if (scope === 'me')
    return { ofUser: reader.id, ...(session.acting && { besidesIn: session.acting.orgId }) };
  if (scope === 'all' && reader.role === Role.SYSTEM_ADMIN) return {};
  if (scope === 'org' && reader.orgId !== null && isAtLeast(reader.role, Role.ORG_ADMIN))
    return { orgId: reader.orgId };
  throw new InsufficientRole();
}
