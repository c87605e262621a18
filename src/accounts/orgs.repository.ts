import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { DataSource, In, IsNull, Not } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { hasSql, idsLike, needleOf, searchedSql } from '../database/search.js';
import { MOST_LISTED, type Order, type Place, type Placed } from '../http/page.js';
import { Role } from '../http/role.js';
import { Org } from './org.entity.js';
import { User } from './user.entity.js';
import { UNDOABLE_HOURS, userColumns } from './users.repository.js';

/** An organization and how many belong to it. */
export type CountedOrg = Org & { memberCount: number };

const COLUMNS = `
  o.id, o.name, o.created_at AS "createdAt", o.second_factor_required_at AS "secondFactorRequiredAt",
  (SELECT count(*)::int FROM users u WHERE u.org_id = o.id) AS "memberCount"`;

/** What organizations are sorted by. */
const SORT_KEYS = {
  created_at: { sql: 'o.id', type: 'uuid', isKey: (key: string) => isUUID(key) },
  name: { sql: 'lower(o.name)', type: 'text', isKey: () => true },
};

/** How a client asks for an order; with a hyphen the highest comes first. */
export const ORG_SORTS = ['created_at', '-created_at', 'name', '-name'] as const;
export type OrgSort = (typeof ORG_SORTS)[number];

export const orgOrder = (sort: OrgSort): Order => ({ sort, isKey: keyOf(sort).isKey });

const keyOf = (sort: OrgSort) => SORT_KEYS[sort.replace('-', '') as keyof typeof SORT_KEYS];

/** The conditions of a list, each for a value that may be null. */
const MEETS = `
  ($1::text IS NULL OR strpos(lower(o.name), lower($1)) > 0) AND ($2::uuid[] IS NULL OR o.id = ANY ($2))
  AND ($3::text IS NULL OR ${hasSql(searchedSql('o.name'), '$3')} OR o.id BETWEEN $4::uuid AND $5::uuid)`;

/** Which organizations a list is about. */
export interface OrgFilter {
  search?: string;
  name?: string;
  ids?: string[];
}

@Injectable()
export class OrgsRepository {
  constructor(private readonly database: DataSource) {}

  async find(id: string): Promise<CountedOrg | null> {
    const [org] = await this.database.query<CountedOrg[]>(
      `SELECT ${COLUMNS} FROM organizations o WHERE o.id = $1`,
      [id],
    );
    return org ?? null;
  }

  /** What some organizations are called, by their ids. */
  async findNames(ids: (string | null)[]): Promise<Map<string, string>> {
    const named = [...new Set(ids)].filter((id) => id !== null);
    const orgs = named.length === 0 ? [] : await this.database.manager.findBy(Org, { id: In(named) });
    return new Map(orgs.map(({ id, name }) => [id, name]));
  }

  /** A page of the organizations that meet a filter, from after a place. They are few enough to be searched without an index. */
  findPage(
    filter: OrgFilter,
    sort: OrgSort,
    after: Place | null,
    limit: number,
  ): Promise<Placed<CountedOrg>[]> {
    const { sql: key, type } = keyOf(sort);
    const [direction, sign] = sort.startsWith('-') ? ['DESC', '<'] : ['ASC', '>'];
    return this.database.query(
      `SELECT ${COLUMNS}, ${key}::text AS "sortKey" FROM organizations o
        WHERE ${MEETS} AND ($6::uuid IS NULL OR (${key}, o.id) ${sign} ($7::text::${type}, $6))
        ORDER BY ${key} ${direction}, o.id ${direction} LIMIT $8`,
      [...valuesOf(filter), after?.id, after?.key, limit],
    );
  }

  /** How many organizations meet a filter, up to MOST_LISTED. */
  async count(filter: OrgFilter): Promise<number> {
    const [{ total }] = await this.database.query(
      `SELECT count(*)::int AS total FROM (
         SELECT FROM organizations o WHERE ${MEETS} LIMIT ${MOST_LISTED}) counted`,
      valuesOf(filter),
    );
    return total;
  }

  async insert(org: Pick<Org, 'id' | 'name'>, tx: Transaction): Promise<void> {
    await tx.manager.insert(Org, org);
  }

  /** Locks an organization until the transaction ends, so that what is decided by counting stays right. */
  lock(id: string, tx: Transaction): Promise<Org | null> {
    return tx.manager.findOne(Org, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async rename(id: string, name: string, tx: Transaction): Promise<void> {
    await tx.manager.update(Org, { id }, { name });
  }

  /** Sets whether the members must have a second factor. */
  async setSecondFactorRequired(id: string, isRequired: boolean, tx: Transaction): Promise<void> {
    const secondFactorRequiredAt = isRequired ? () => 'coalesce(second_factor_required_at, now())' : null;
    await tx.manager.update(Org, { id }, { secondFactorRequiredAt });
  }

  /** Locks the members of an organization, which is locked, until the transaction ends. */
  lockMembers(orgId: string, tx: Transaction): Promise<Pick<User, 'id' | 'email' | 'role'>[]> {
    return tx.query('SELECT id, email, role FROM users WHERE org_id = $1 ORDER BY id FOR NO KEY UPDATE', [
      orgId,
    ]);
  }

  /** Whether the members of an organization must have a second factor. */
  requiresSecondFactor(id: string, tx: Transaction): Promise<boolean> {
    return tx.manager.existsBy(Org, { id, secondFactorRequiredAt: Not(IsNull()) });
  }

  async delete(id: string, tx: Transaction): Promise<void> {
    await tx.manager.delete(Org, { id });
  }

  /** A member, locked until the transaction ends. */
  lockMember(orgId: string, id: string, tx: Transaction): Promise<User | null> {
    return tx.manager.findOne(User, { where: { id, orgId }, lock: { mode: 'pessimistic_write' } });
  }

  async setMemberRole(id: string, role: Role, tx: Transaction): Promise<void> {
    await tx.manager.update(User, { id }, { role });
  }

  /** Whether an organization, which is locked, has no members. */
  async isEmpty(id: string, tx: Transaction): Promise<boolean> {
    return !(await tx.manager.existsBy(User, { orgId: id }));
  }

  /** Whether a user joined an organization so lately that it can be undone, as its event says. */
  async hasJoinedLately(userId: string, orgId: string, tx: Transaction): Promise<boolean> {
    const joined = await tx.query<unknown[]>(
      `SELECT 1 FROM audit_events
        WHERE type = 'member.joined' AND user_id = $1 AND org_id = $2
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

  /** Whether the account of an address belongs to any organization; it joins none until the transaction ends. */
  async belongsToAny(email: string, tx: Transaction): Promise<boolean> {
    // Shared, because two admins who invite each other at once hold each other's rows as well.
    const [user] = await tx.query<Pick<User, 'orgId'>[]>(
      'SELECT org_id AS "orgId" FROM users WHERE email = $1 FOR SHARE',
      [email],
    );
    return user !== undefined && user.orgId !== null;
  }

  /**
   * Puts a user into an organization, with a role that neither raises a user whom a SYSTEM_ADMIN made READONLY, nor lowers
   * a SYSTEM_ADMIN. Returns the member, and null when they belong to an organization.
   */
  async addMember(userId: string, orgId: string, role: Role, tx: Transaction): Promise<User | null> {
    // Decided by the row as it is now, not as it was read: the role may have changed meanwhile.
    const [[member]] = await tx.query<[User[], number]>(
      `UPDATE users
          SET org_id = $2,
              role = CASE WHEN role = 'sys_admin' THEN role WHEN own_role = 'readonly' THEN own_role ELSE $3 END
        WHERE id = $1 AND org_id IS NULL RETURNING ${userColumns(this.database)}`,
      [userId, orgId, role],
    );
    return member ?? null;
  }

  /** Whether a SYSTEM_ADMIN made a user READONLY, in whatever organization they are. */
  isRestricted(id: string, tx: Transaction): Promise<boolean> {
    return tx.manager.existsBy(User, { id, ownRole: Role.READONLY });
  }

  /** Takes a user out of the organization; outside they are what they were before. A SYSTEM_ADMIN stays one. */
  async removeMember(id: string, tx: Transaction): Promise<void> {
    await tx.manager.update(User, { id }, OUTSIDE);
  }

  /** Takes all members out of an organization, as above, and returns them as they were. */
  async removeMembers(orgId: string, tx: Transaction): Promise<Pick<User, 'id' | 'email' | 'role'>[]> {
    const members = await this.lockMembers(orgId, tx);
    await tx.manager.update(User, { orgId }, OUTSIDE);
    return members;
  }
}

/** What a user is who belongs to no organization. Decided by the row as it is now, not as it was read. */
const OUTSIDE = {
  orgId: null,
  role: () => `CASE role WHEN '${Role.SYSTEM_ADMIN}' THEN role ELSE own_role END`,
};

function valuesOf({ search, name, ids }: OrgFilter): unknown[] {
  return [name, ids, search && needleOf(search), ...((search && idsLike(search)) || [null, null])];
}
