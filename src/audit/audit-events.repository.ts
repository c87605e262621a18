import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hasByIndexSql, needleOf, SEARCHED_OF_USER } from '../database/search.js';
import type { CallerUser } from '../http/caller.js';
import { Role } from '../http/role.js';
import type { ExportAuditEvents } from './audit.dto.js';
import type { AuditEvent } from './audit-event.entity.js';
import { typesNamed } from './audit-types.js';
import { boundsOf, type Day } from './days.js';

/** Which events a list is about: those of a user, those in an organization, or all. */
export interface Scope {
  ofUser?: string;
  orgId?: string;
  /** To an admin who acts for the user: beside what is in no organization, what is in this one; null for nothing more. */
  besidesIn?: string | null;
}

/** An event, and what those are called whom it names; null where they are gone, or not for the reader to know. */
export type NamedEvent = Omit<AuditEvent, 'chainId' | 'chainPosition' | 'chainHash' | 'chainSeal'> & {
  actorEmail: string | null;
  userEmail: string | null;
  orgName: string | null;
};

/** What a search of events is about: people, and an id of whatever it may be. */
export interface Found {
  people: string[];
  id?: string;
}

/** What a list of events is asked for, once it is known what the search is about. */
type EventQuery = ExportAuditEvents & { found?: Found | undefined };

/** The people whose events one list looks up. */
export const MOST_PEOPLE = 50;

/** How many events of a day are counted. */
const MOST_A_DAY = 100;

/** What a user did on a day, and what was done to them, up to MOST_A_DAY events. */
export interface CountedDay {
  day: Day;
  events: number;
}

/** An id begins with the clock of the replica that made it, which may differ from the database's in `created_at`. */
const CLOCK_SLACK_MS = 3_600_000;

/** The highest time that an id can begin with. */
const MAX_ID_MS = 2 ** 48 - 1;

/** Of who reads, what decides what they may see. */
type Reader = Pick<CallerUser, 'id' | 'orgId' | 'role'>;

/** Adds a value to the parameters of a statement, and returns its place among them. */
type Bind = (value: unknown) => string;

@Injectable()
export class AuditEventsRepository {
  constructor(private readonly database: DataSource) {}

  /** A page of events as a reader may see them, newest first, from below an id. */
  findAll(
    reader: CallerUser,
    scope: Scope,
    query: EventQuery,
    before: string | null,
    limit: number,
  ): Promise<NamedEvent[]> {
    const { sql, parameters } = selectEvents(reader, scope, query, before, limit);
    return this.database.query(sql, parameters);
  }

  /** A page of what a user did and what was done to them, newest first, in a snapshot. It names nobody but them. */
  findOwn(id: string, before: string | null, limit: number, snapshot: EntityManager): Promise<NamedEvent[]> {
    const reader = { id, orgId: null, role: Role.MEMBER };
    const { sql, parameters } = selectEvents(reader, { ofUser: id }, { scope: 'me' }, before, limit);
    return snapshot.query(sql, parameters);
  }

  /** Counts the events of each of some days that a user did, or that were done to them. */
  countDays(userId: string, days: Day[]): Promise<CountedDay[]> {
    const lookUp = (column: string) =>
      `(SELECT id FROM audit_events WHERE ${column} = ${unplanned('$1')} AND id >= since AND id < until ORDER BY id LIMIT ${MOST_A_DAY})`;
    return this.database.query(
      `SELECT day, (SELECT count(*)::int FROM (
                      ${lookUp('actor_id')} UNION ${lookUp('user_id')} LIMIT ${MOST_A_DAY}) counted) AS events
         FROM unnest($2::text[], $3::uuid[], $4::uuid[]) WITH ORDINALITY AS d (day, since, until, place)
        ORDER BY place`,
      [
        userId,
        days,
        days.map((day) => idAt(boundsOf(day).startsAt)),
        days.map((day) => idAt(boundsOf(day).endsAt)),
      ],
    );
  }

  /**
   * The ids of the people in a scope who have a text in their name or address, one more than MOST_PEOPLE at most. An
   * organization finds its members, and nobody else. A whole address is that of one person.
   */
  async findPeople({ orgId }: Scope, search: string): Promise<string[]> {
    const people = await this.database.query<{ id: string; isWhole: boolean }[]>(
      `SELECT id, email = $3 AS "isWhole" FROM users u
        WHERE ${hasByIndexSql(SEARCHED_OF_USER, '$1')} AND ($2::uuid IS NULL OR EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id AND m.org_id = $2))
        ORDER BY email = $3 DESC LIMIT ${MOST_PEOPLE + 1}`,
      [needleOf(search), orgId, search],
    );
    const whole = people.filter(({ isWhole }) => isWhole);
    return (whole.length > 0 ? whole : people).map(({ id }) => id);
  }
}

/**
 * The statement for a page of events. A user's own are those they did, and those about
 * their account. What a user did, what was done to them, and each type is looked up by itself, so that each look-up
 * walks along one index and ends after a page: with one condition for all, PostgreSQL would read every event of a user.
 */
function selectEvents(reader: Reader, scope: Scope, query: EventQuery, before: string | null, limit: number) {
  const parameters: unknown[] = [];
  const bind: Bind = (value) => `$${parameters.push(value)}`;
  const most = bind(limit);
  const filters = filtersOf(scope, query, before, bind);
  const lookUps = whoseOf(scope, query, bind).flatMap(({ from = '', isWhose }) =>
    typesOf(query, bind).map(
      (isOfType) =>
        `(SELECT e.* FROM ${from} (SELECT * FROM audit_events WHERE ${[isWhose, isOfType, ...filters].join(' AND ')} ORDER BY id DESC LIMIT ${most}) e)`,
    ),
  );
  const isFromAbove = isFromAboveTo(scope, bind);
  const known = knownTo(reader, bind);

  const sql = `
    SELECT page.*,
           (SELECT u.email FROM users u WHERE u.id = page."actorId" AND ${known.user}) AS "actorEmail",
           (SELECT u.email FROM users u WHERE u.id = page."userId" AND ${known.user}) AS "userEmail",
           (SELECT o.name FROM organizations o WHERE o.id = page."orgId" AND ${known.org}) AS "orgName"
      FROM (
    SELECT DISTINCT ON (id) id, type, actor_id AS "actorId", user_id AS "userId", org_id AS "orgId",
           CASE WHEN ${isFromAbove} THEN NULL ELSE ip END AS ip,
           CASE WHEN ${isFromAbove} THEN NULL ELSE user_agent END AS "userAgent", ${detailsFor(scope)}, created_at AS "createdAt"
      FROM (${lookUps.join(' UNION ALL ')}) AS events
     ORDER BY id DESC LIMIT ${most}) page
     ORDER BY id DESC`;
  return { sql, parameters };
}

/** Whose events are looked up: `from` is what each look-up is done for. */
function whoseOf(
  { ofUser }: Scope,
  { user_id, found }: EventQuery,
  bind: Bind,
): { from?: string; isWhose: string }[] {
  if (found !== undefined) {
    const from = `unnest(${bind(found.people)}::uuid[]) AS people (person) CROSS JOIN LATERAL`;
    const ofPeople = ['actor_id', 'user_id'].map((column) => ({ from, isWhose: `${column} = person` }));
    return found.id === undefined ? ofPeople : [...ofPeople, { isWhose: `id = ${bind(found.id)}` }];
  }
  const userId = ofUser ?? user_id;
  if (userId === undefined) return [{ isWhose: 'true' }];
  const user = unplanned(bind(userId));
  return [{ isWhose: `actor_id = ${user}` }, { isWhose: `user_id = ${user}` }];
}

function typesOf({ type }: ExportAuditEvents, bind: Bind): string[] {
  return type === undefined ? ['true'] : typesNamed(type).map((name) => `type = ${bind(name)}`);
}

function filtersOf(
  { ofUser, orgId, besidesIn }: Scope,
  { user_id: concerning, org_id = orgId, since, until, found }: EventQuery,
  before: string | null,
  bind: Bind,
): string[] {
  const filters: string[] = [];
  if (before !== null) filters.push(`id < ${bind(before)}`);
  if (org_id !== undefined) filters.push(`org_id = ${unplanned(bind(org_id))}`);
  if (besidesIn !== undefined) filters.push(`(org_id IS NULL OR org_id = ${unplanned(bind(besidesIn))})`);
  if ((ofUser ?? found) !== undefined && concerning !== undefined)
    filters.push(`${bind(concerning)} IN (actor_id, user_id)`);
  if (since) filters.push(`created_at >= ${bind(since)} AND id >= ${bind(lowestIdSince(since))}`);
  if (until)
    filters.push(`created_at < ${bind(until)} AND id < ${bind(idAt(until.getTime() + CLOCK_SLACK_MS))}`);
  return filters;
}

/**
 * Whether an act came from above the reader, to whom the list then does not show where that person sits: of what was
 * done to a user, the acts of all others; in an organization, those of a SYSTEM_ADMIN.
 */
function isFromAboveTo({ ofUser, orgId }: Scope, bind: Bind): string {
  if (ofUser !== undefined) return `actor_id <> ${bind(ofUser)}`;
  return orgId === undefined
    ? 'false'
    : `EXISTS (SELECT FROM users u WHERE u.id = actor_id AND u.own_role = 'sys_admin')`;
}

/** Whose names a reader may see: a SYSTEM_ADMIN those of all, another user their own and those of their organization. */
function knownTo({ id, orgId, role }: Reader, bind: Bind): { user: string; org: string } {
  if (role === Role.SYSTEM_ADMIN) return { user: 'true', org: 'true' };
  const own = bind(orgId);
  return {
    user: `(u.id = ${bind(id)} OR EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id AND m.org_id = ${own}))`,
    org: `o.id = ${own}`,
  };
}

/** An organization's admins are not shown which account at an identity provider a member logs in with. */
function detailsFor({ orgId }: Scope): string {
  return orgId === undefined ? 'details' : `details - '{issuer,subject}'::text[] AS details`;
}

/**
 * An id whose value PostgreSQL does not know when it plans: of a user whom it knows to be busy it would look for the
 * events among all, newest first, and those may be the oldest.
 */
function unplanned(id: string): string {
  return `(SELECT ${id}::uuid)`;
}

/** The lowest id of events since an instant. */
export function lowestIdSince(since: Date): string {
  return idAt(since.getTime() - CLOCK_SLACK_MS);
}

/** The lowest id that can begin with a time. */
export function idAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), MAX_ID_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
