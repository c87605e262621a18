import { Injectable } from '@nestjs/common';
import type { QueryConfig } from 'pg';
import { DataSource } from 'typeorm';
import { Permissions } from '../access/permissions.js';
import { hasFactorSql } from '../accounts/factors.repository.js';
import { PasskeysRepository } from '../accounts/passkeys.repository.js';
import type { User } from '../accounts/user.entity.js';
import { JOIN_MEMBERSHIP, type JoinedUser, joinedUser, ROLE } from '../accounts/users.repository.js';
import { subscriptionView } from '../billing/subscription.view.js';
import { Environment } from '../config/environment.js';
import { EVENT_SUBJECTS, type EventSubject, type EventType } from '../config/event-types.js';
import { poolOf } from '../database/pool.js';
import { managedOrgView } from '../orgs/org.view.js';
import { roleView } from '../orgs/role.view.js';
import { managedUserView } from '../users/user.view.js';
import { type EventPayload, typesAbout } from './event-payload.js';

/**
 * When the transaction of the one statement began, in microseconds: before its snapshot, so that the reading after
 * a change, which begins when the change is committed, has a higher number than each that did not see it.
 * `statement_timestamp()` would be wrong: the extended protocol takes the snapshot with one message, and that time with
 * the next.
 */
const VERSION = '(extract(epoch FROM now()) * 1000000)::bigint::float8';

const listOf = (subject: EventSubject) =>
  typesAbout(subject)
    .map((type) => `'${type}'`)
    .join(', ');

const ABOUT_ORGS = listOf('org');
const ABOUT_ROLES = listOf('role');

/** Events by their ids, with those of their subjects that are there now: the columns of one that is not are null. */
const readWith = (userColumns: string) => `
  SELECT e.id, e.type, e.actor_id, e.user_id, e.org_id, e.details, e.created_at, ${VERSION} AS version,
         ${userColumns}, ${ROLE} AS user_role, m.org_id AS user_org_id, ${hasFactorSql('u', '$2')} AS has_factor,
         (SELECT json_agg(json_build_object('orgId', org_id, 'role', role, 'suspendedAt', suspended_at) ORDER BY org_id) FROM memberships WHERE user_id = u.id) AS memberships,
         o.id AS organization_id, o.name AS organization_name, o.locale AS organization_locale, o.external_id AS organization_external_id, o.created_at AS organization_created_at,
         o.second_factor_required_at, (SELECT count(*)::int FROM memberships others WHERE others.org_id = o.id) AS member_count,
         r.id AS role_id, r.name AS role_name, r.base AS role_base, r.permissions AS role_permissions,
         r.created_at AS role_created_at, r.changed_at AS role_changed_at,
         (SELECT count(*)::int FROM memberships holders WHERE holders.org_id = r.org_id AND holders.role_id = r.id) AS role_members,
         c.status, c.price_id, c.quantity, c.current_period_end, c.cancel_at_period_end, c.past_due_since
    FROM audit_events e
         LEFT JOIN users u ON u.id = e.user_id
         ${JOIN_MEMBERSHIP}
         LEFT JOIN organizations o ON o.id = e.org_id AND e.type IN (${ABOUT_ORGS})
         LEFT JOIN org_roles r ON r.org_id = e.org_id AND r.id::text = e.details->>'role_id' AND e.type IN (${ABOUT_ROLES})
         LEFT JOIN billing_customers c ON c.org_id = e.org_id OR e.org_id IS NULL AND c.user_id = e.user_id
   WHERE e.id = ANY ($1)`;

/** Reads what endpoints are sent. */
@Injectable()
export class EventSubjectsRepository {
  private readonly statement: QueryConfig;
  private readonly user: JoinedUser;

  constructor(
    private readonly database: DataSource,
    private readonly passkeys: PasskeysRepository,
    private readonly permissions: Permissions,
    { databasePrepare }: Environment,
  ) {
    this.user = joinedUser(database);
    const text = readWith(this.user.columns);
    this.statement = databasePrepare ? { text, name: 'read-subjects' } : { text };
  }

  /**
   * What is to be sent of some events, by their ids, all of it read in one statement. A pruned event is missing; one of
   * a type that is not sent is null. Bypasses TypeORM, which would build the statement each time and cannot name it.
   */
  async read(eventIds: string[]): Promise<Map<string, EventPayload | null>> {
    const { rows } = await poolOf(this.database).query({
      ...this.statement,
      values: [eventIds, this.passkeys.rpId],
    });
    return new Map(
      rows.map((row) => [
        row.id,
        payloadOf(
          row,
          { ...this.user.read(row), role: row.user_role, orgId: row.user_org_id },
          this.permissions,
        ),
      ]),
    );
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a row as pg gives it, typed by the views.
type Row = any;

function payloadOf(row: Row, user: User, permissions: Permissions): EventPayload | null {
  const type: EventType = row.type;
  const happened = {
    actor_id: row.actor_id,
    user_id: row.user_id,
    org_id: row.org_id,
    details: row.details,
    version: row.version,
  };
  const about = { type, timestamp: row.created_at };
  switch (EVENT_SUBJECTS[type]) {
    case 'user':
      return { ...about, data: { ...happened, user: userOf(row, user) } };
    case 'org':
      return { ...about, data: { ...happened, org: orgOf(row) } };
    case 'role':
      return { ...about, data: { ...happened, role: roleOf(row, permissions) } };
    case 'subscription':
      return { ...about, data: { ...happened, subscription: subscriptionOf(row) } };
    default:
      return null;
  }
}

function userOf(row: Row, user: User) {
  return user.id === null
    ? null
    : managedUserView({ ...user, hasFactor: row.has_factor, memberships: row.memberships ?? [] });
}

function orgOf(row: Row) {
  if (row.organization_id === null) return null;
  return managedOrgView({
    id: row.organization_id,
    name: row.organization_name,
    locale: row.organization_locale,
    externalId: row.organization_external_id,
    createdAt: row.organization_created_at,
    secondFactorRequiredAt: row.second_factor_required_at,
    memberCount: row.member_count,
  });
}

function roleOf(row: Row, permissions: Permissions) {
  if (row.role_id === null) return null;
  const role = {
    orgId: row.org_id,
    id: row.role_id,
    name: row.role_name,
    base: row.role_base,
    permissions: row.role_permissions,
    createdAt: row.role_created_at,
    changedAt: row.role_changed_at,
    memberCount: row.role_members,
  };
  return roleView(role, permissions);
}

function subscriptionOf(row: Row) {
  return subscriptionView({
    status: row.status,
    priceId: row.price_id,
    quantity: row.quantity,
    currentPeriodEnd: row.current_period_end,
    cancelAtPeriodEnd: row.cancel_at_period_end,
    pastDueSince: row.past_due_since,
  });
}
