import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ListAuditEvents } from './audit.dto.js';
import type { AuditEvent } from './audit-event.entity.js';
import { typesNamed } from './audit-types.js';

/** Which events a list is about: those of a user, those in an organization, or all. */
export interface Scope {
  ofUser?: string;
  orgId?: string;
}

/** An id begins with the clock of the replica that made it, which may differ from the database's in `created_at`. */
const CLOCK_SLACK_MS = 3_600_000;

/** The highest time that an id can begin with. */
const MAX_ID_MS = 2 ** 48 - 1;

/** Adds a value to the parameters of a statement, and returns its place among them. */
type Bind = (value: unknown) => string;

@Injectable()
export class AuditEventsRepository {
  constructor(private readonly database: DataSource) {}

  /** A page of events, newest first, from below an id. */
  findAll(scope: Scope, query: ListAuditEvents, before: string | null, limit: number): Promise<AuditEvent[]> {
    const { sql, parameters } = selectEvents(scope, query, before, limit);
    return this.database.query(sql, parameters);
  }
}

/**
 * The statement for a page of events. A user's own are those they did, and those about
 * their account. What a user did, what was done to them, and each type is looked up by itself, so that each look-up
 * walks along one index and ends after a page: with one condition for all, PostgreSQL would read every event of a user.
 */
function selectEvents(scope: Scope, query: ListAuditEvents, before: string | null, limit: number) {
  const parameters: unknown[] = [];
  const bind: Bind = (value) => `$${parameters.push(value)}`;
  const most = bind(limit);
  const filters = filtersOf(scope, query, before, bind);
  const lookUps = whoseOf(scope.ofUser ?? query.user_id, bind).flatMap((isWhose) =>
    typesOf(query, bind).map(
      (isOfType) =>
        `(SELECT * FROM audit_events WHERE ${[isWhose, isOfType, ...filters].join(' AND ')} ORDER BY id DESC LIMIT ${most})`,
    ),
  );
  const isFromAbove = isFromAboveTo(scope, bind);

  const sql = `
    SELECT DISTINCT ON (id) id, type, actor_id AS "actorId", user_id AS "userId", org_id AS "orgId",
           CASE WHEN ${isFromAbove} THEN NULL ELSE ip END AS ip,
           CASE WHEN ${isFromAbove} THEN NULL ELSE user_agent END AS "userAgent", ${detailsFor(scope)}, created_at AS "createdAt"
      FROM (${lookUps.join(' UNION ALL ')}) AS events
     ORDER BY id DESC LIMIT ${most}`;
  return { sql, parameters };
}

function whoseOf(userId: string | undefined, bind: Bind): string[] {
  if (userId === undefined) return ['true'];
  const user = unplanned(bind(userId));
  return [`actor_id = ${user}`, `user_id = ${user}`];
}

function typesOf({ type }: ListAuditEvents, bind: Bind): string[] {
  return type === undefined ? ['true'] : typesNamed(type).map((name) => `type = ${bind(name)}`);
}

function filtersOf(
  { ofUser, orgId }: Scope,
  { user_id: concerning, org_id = orgId, since, until }: ListAuditEvents,
  before: string | null,
  bind: Bind,
): string[] {
  const filters: string[] = [];
  if (before !== null) filters.push(`id < ${bind(before)}`);
  if (org_id !== undefined) filters.push(`org_id = ${unplanned(bind(org_id))}`);
  if (ofUser !== undefined && concerning !== undefined)
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
    : `EXISTS (SELECT FROM users u WHERE u.id = actor_id AND u.role = 'sys_admin')`;
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
