import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { AlreadyInOrganization, AlreadyMember, TooManyOrganizations } from '../http/errors.js';
import type { Role } from '../http/role.js';
import type { NamedRole } from './custom-role.entity.js';
import { NAMED_ROLE } from './custom-roles.repository.js';
import { type JoinedBy, Membership } from './membership.entity.js';
import type { User } from './user.entity.js';
import { IS_ACTIVE_ADMIN, ROLE, UNDOABLE_HOURS, userColumns } from './users.repository.js';

/** A member of an organization, locked, as a reader of its mails. */
export type LockedMember = Pick<User, 'id' | 'email' | 'role' | 'locale' | 'timeZone'>;

/** A user as a member of an organization. */
export type Member = User &
  Pick<Membership, 'joinedAt' | 'enteredAt' | 'suspendedAt'> & { customRole: NamedRole | null };

/** SQL for what `Member` adds to a user, of a membership `m`. */
export const OF_MEMBERSHIP = `
  m.joined_at AS "joinedAt", m.entered_at AS "enteredAt", m.suspended_at AS "suspendedAt", ${NAMED_ROLE('m')} AS "customRole"`;

/** That a user belongs to an organization, with which role, and since when it is suspended. */
export type MembershipOfUser = Pick<Membership, 'orgId' | 'role' | 'roleId' | 'suspendedAt'>;

/** A role that an organization gives: a built-in one, or a custom one with its base. */
export type GivenRole = Pick<Membership, 'role' | 'roleId'>;

/** Those of some memberships that are not suspended. */
export function activeOf<Each extends Pick<Membership, 'suspendedAt'>>(memberships: Each[]): Each[] {
  return memberships.filter(({ suspendedAt }) => suspendedAt === null);
}

/** How many belong to an organization beside a user, and how many of them administer it. */
interface Others {
  members: number;
  admins: number;
}

/** Who belongs to which organization, and with which role. */
@Injectable()
export class MembershipsRepository {
  constructor(
    private readonly database: DataSource,
    private readonly environment: Environment,
  ) {}

  /**
   * Puts a user into an organization, and returns them as its member. One whom a SYSTEM_ADMIN made READONLY is that here too,
   * whatever the role. Throws AlreadyMember, AlreadyInOrganization and TooManyOrganizations.
   */
  async add(
    userId: string,
    orgId: string,
    { role, roleId }: GivenRole,
    joinedBy: JoinedBy,
    tx: Transaction,
  ): Promise<Member> {
    // Of two organizations that a user joins at once, the second waits, and then counts the first.
    await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
    const added = await tx.query<unknown[]>(
      `INSERT INTO memberships (user_id, org_id, role, role_id, joined_by)
       SELECT u.id, $2, CASE u.own_role WHEN 'readonly' THEN u.own_role ELSE $3 END,
              CASE u.own_role WHEN 'readonly' THEN NULL ELSE $6::uuid END, $4
         FROM users u
        WHERE u.id = $1 AND (SELECT count(*) FROM memberships m WHERE m.user_id = u.id) < $5
       ON CONFLICT DO NOTHING RETURNING 1`,
      [userId, orgId, role, joinedBy, this.environment.orgsPerUser, roleId],
    );
    const member = await this.find(orgId, userId, tx);
    if (added.length === 1 && member) return member;
    throw member ? new AlreadyMember() : this.noRoom();
  }

  /**
   * Asserts that the account of an address, if there is one, can join another organization; it joins none until the
   * transaction ends. Throws AlreadyInOrganization and TooManyOrganizations.
   */
  async assertRoom(email: string, tx: Transaction): Promise<void> {
    // Shared, because two admins who invite each other at once hold each other's rows as well.
    await tx.query('SELECT 1 FROM users WHERE email = $1 FOR SHARE', [email]);
    const [{ count }] = await tx.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = $1',
      [email],
    );
    if (count >= this.environment.orgsPerUser) throw this.noRoom();
  }

  /** The memberships of a user, by organization. Under the lock of the user they stay until the transaction ends. */
  findOf(userId: string, tx: Transaction): Promise<MembershipOfUser[]> {
    return tx.manager.find(Membership, {
      select: { orgId: true, role: true, roleId: true, suspendedAt: true },
      where: { userId },
      order: { orgId: 'ASC' },
    });
  }

  /** The memberships of some users, by user. One who has none is missing. */
  async findOfEach(userIds: string[]): Promise<Map<string, MembershipOfUser[]>> {
    const found = await this.database.manager.find(Membership, {
      select: { userId: true, orgId: true, role: true, roleId: true, suspendedAt: true },
      where: { userId: In(userIds) },
      order: { orgId: 'ASC' },
    });
    const byUser = new Map<string, MembershipOfUser[]>();
    for (const { userId, ...membership } of found)
      byUser.set(userId, [...(byUser.get(userId) ?? []), membership]);
    return byUser;
  }

  /** Locks the organizations of a user, in the order of their ids, until the transaction ends. Returns their ids. */
  async lockOrgsOf(userId: string, tx: Transaction): Promise<string[]> {
    const locked = await tx.query<{ id: string }[]>(
      `SELECT id FROM organizations
        WHERE id IN (SELECT org_id FROM memberships WHERE user_id = $1) ORDER BY id FOR UPDATE`,
      [userId],
    );
    return locked.map(({ id }) => id);
  }

  /** The role of a user in an organization, or as a SYSTEM_ADMIN; null for one who is neither, suspended, or disabled. */
  async roleIn(orgId: string, userId: string, tx: Transaction): Promise<Role | null> {
    const [found] = await tx.query<{ role: Role }[]>(
      `SELECT ${ROLE} AS role FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.org_id = $1 AND m.suspended_at IS NULL
        WHERE u.id = $2 AND u.disabled_at IS NULL AND (m.org_id IS NOT NULL OR u.own_role = 'sys_admin')`,
      [orgId, userId],
    );
    return found?.role ?? null;
  }

  /** A member, locked until the transaction ends, in the organization. */
  async lock(orgId: string, userId: string, tx: Transaction): Promise<Member | null> {
    await tx.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [userId]);
    return this.find(orgId, userId, tx);
  }

  /** A member, as they are in the organization. */
  private async find(orgId: string, userId: string, tx: Transaction): Promise<Member | null> {
    const [member] = await tx.query<Member[]>(
      `SELECT ${userColumns(this.database)}, ${OF_MEMBERSHIP} FROM users u JOIN memberships m ON m.user_id = u.id AND m.org_id = $1 WHERE u.id = $2`,
      [orgId, userId],
    );
    return member ?? null;
  }

  async setRole(orgId: string, userId: string, { role, roleId }: GivenRole, tx: Transaction): Promise<void> {
    await tx.manager.update(Membership, { userId, orgId }, { role, roleId });
  }

  /** Suspends a membership, or ends that. Returns since when it is suspended. */
  async setSuspended(
    orgId: string,
    userId: string,
    isSuspended: boolean,
    tx: Transaction,
  ): Promise<Date | null> {
    const [[{ suspendedAt }]] = await tx.query<[[{ suspendedAt: Date | null }], number]>(
      `UPDATE memberships SET suspended_at = CASE WHEN $3 THEN now() END
        WHERE user_id = $1 AND org_id = $2 RETURNING suspended_at AS "suspendedAt"`,
      [userId, orgId, isSuspended],
    );
    return suspendedAt;
  }

  /** Takes a user out of an organization; outside they have their own role. */
  async remove(orgId: string, userId: string, tx: Transaction): Promise<void> {
    await tx.manager.delete(Membership, { userId, orgId });
  }

  /** Takes all members out of an organization, which is locked, and returns them as they were. */
  async removeAll(orgId: string, tx: Transaction): Promise<LockedMember[]> {
    const members = await this.lockAll(orgId, tx);
    await tx.manager.delete(Membership, { orgId });
    return members;
  }

  /** Whether an organization, which is locked, has no members. */
  async isEmpty(orgId: string, tx: Transaction): Promise<boolean> {
    return !(await tx.manager.existsBy(Membership, { orgId }));
  }

  /** Whether the account of an address is a member of an organization. */
  async isMember(orgId: string, email: string, tx: Transaction): Promise<boolean> {
    const members = await tx.query<unknown[]>(
      'SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.org_id = $1 AND u.email = $2',
      [orgId, email],
    );
    return members.length > 0;
  }

  /** How many belong to an organization beside a user, and how many of them administer it. */
  async countOthers(orgId: string, userId: string, tx: Transaction): Promise<Others> {
    const [others] = await tx.query<[Others]>(
      `SELECT count(*)::int AS members, count(*) FILTER (WHERE ${IS_ACTIVE_ADMIN})::int AS admins
         FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE m.org_id = $1 AND m.user_id <> $2`,
      [orgId, userId],
    );
    return others;
  }

  /**
   * Whether an organization has another active admin than a user, beside those whom the user lately appointed, let
   * in again, or invited as admins: an intruder may have made them.
   */
  async hasAdminNotMadeBy(userId: string, orgId: string, tx: Transaction): Promise<boolean> {
    // The transaction that accepts an invitation records the join: by its time, since the address may have changed.
    const admins = await tx.query<unknown[]>(
      `SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE m.org_id = $2 AND u.id <> $1 AND ${IS_ACTIVE_ADMIN}
          AND NOT EXISTS (
            SELECT FROM audit_events e
             WHERE e.actor_id = $1 AND e.user_id = u.id AND e.org_id = $2
               AND (e.type = 'role.changed' AND e.details->>'to' = 'org_admin' OR e.type = 'member.resumed') AND e.created_at > now() - make_interval(hours => $3))
          AND NOT EXISTS (
            SELECT FROM invitations i
              JOIN audit_events e ON e.org_id = i.org_id AND e.type = 'member.joined' AND e.created_at = i.accepted_at
             WHERE i.invited_by = $1 AND i.org_id = $2 AND i.role = 'org_admin' AND e.user_id = u.id
               AND i.accepted_at > now() - make_interval(hours => $3))
        LIMIT 1`,
      [userId, orgId, UNDOABLE_HOURS],
    );
    return admins.length > 0;
  }

  /**
   * Whether a user joined an organization so lately that it can be undone, as its event says. An operator who imports users is
   * no intruder.
   */
  async hasJoinedLately(userId: string, orgId: string, tx: Transaction): Promise<boolean> {
    const joined = await tx.query<unknown[]>(
      `SELECT 1 FROM audit_events
        WHERE type = 'member.joined' AND user_id = $1 AND org_id = $2 AND details->>'joined_by' IS DISTINCT FROM 'import'
          AND created_at > now() - make_interval(hours => $3) LIMIT 1`,
      [userId, orgId, UNDOABLE_HOURS],
    );
    return joined.length > 0;
  }

  /**
   * Whether a user was the first to join an organization as its admin: its founder, or the admin with whom it was made.
   * Answered only where the events reach back to its beginning.
   */
  async isFirstAdmin(userId: string, orgId: string, tx: Transaction): Promise<boolean> {
    const [first] = await tx.query<{ userId: string }[]>(
      `SELECT user_id AS "userId" FROM audit_events
        WHERE org_id = $1 AND type = 'member.joined' AND details->>'role' IN ('org_admin', 'sys_admin')
          AND EXISTS (SELECT FROM audit_events c WHERE c.org_id = $1 AND c.type = 'org.created')
        ORDER BY id LIMIT 1`,
      [orgId],
    );
    return first?.userId === userId;
  }

  /** Whether users can belong to several organizations, or some still do since they could. */
  async mayBeSeveral(tx: Transaction): Promise<boolean> {
    if (this.environment.orgsPerUser > 1) return true;
    const [{ some }] = await tx.query<[{ some: boolean }]>(
      'SELECT EXISTS (SELECT FROM memberships GROUP BY user_id HAVING count(*) > 1) AS some',
    );
    return some;
  }

  private noRoom(): AlreadyInOrganization | TooManyOrganizations {
    return this.environment.orgsPerUser === 1 ? new AlreadyInOrganization() : new TooManyOrganizations();
  }

  /** Locks the members of an organization, which is locked, until the transaction ends. */
  private lockAll(orgId: string, tx: Transaction): Promise<LockedMember[]> {
    return tx.query(
      `SELECT u.id, u.email, ${ROLE} AS role, u.locale, u.time_zone AS "timeZone"
         FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE m.org_id = $1 ORDER BY u.id FOR NO KEY UPDATE OF u`,
      [orgId],
    );
  }
}
