import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { hasByIndexSql, hasSql, idsLike, needleOf, SEARCHED_OF_USER } from '../database/search.js';
import { MOST_LISTED, type Place, type Placed } from '../http/page.js';
import { ROLES_IN_ORDER, Role } from '../http/role.js';
import { type Member, OF_MEMBERSHIP } from './memberships.repository.js';
import type { User } from './user.entity.js';
import { type Bind, UserOrder } from './user-order.js';
import { JOIN_MEMBERSHIP, USERS_IN_ORGS, userColumns } from './users.repository.js';

/** Which users a list is about. */
export interface UserFilter {
  search?: string;
  email?: string;
  org_id?: string;
  role?: Role;
  disabled?: boolean;
  ids?: string[];
}

/** How many users a search looks at in the order of the list, before it asks the index for all that match. */
const LOOKED_AT = 5_000;

/** How many matches of a search are found anew for each part of a whole list. Of more, each user is looked at once. */
const FOUND_AGAIN = 10_000;

/** Where so many of LOOKED_AT match a search, it matches many thousands of a million. */
const MANY = 51;

/** Which members of an organization a list is about. */
export type MemberFilter = UserFilter & { org_id: string };

/** Reads the users after a place. */
type ReadUsers<Listed extends User = User> = (
  after: Place | null,
  limit: number,
) => Promise<Placed<Listed>[]>;

const NEWEST_FIRST = new UserOrder('-created_at');

/**
 * Whether a user has some of the memberships `h`. Counted, and not asked with EXISTS: PostgreSQL would plan that as a join, and
 * read all memberships before the first user.
 */
const hasSome = (user: string, condition: string) =>
  `0 < (SELECT count(*) FROM memberships h WHERE h.user_id = ${user} AND ${condition})`;

const hasNone = (user: string, condition: string) =>
  `0 = (SELECT count(*) FROM memberships h WHERE h.user_id = ${user} AND ${condition})`;

/** Whether `m` is the first membership of its user with its role: a user who has it in several organizations is listed once. */
const IS_FIRST = hasNone('m.user_id', 'h.role = m.role AND h.org_id < m.org_id');

const isOfRole = (role: Role) =>
  `u.own_role <> 'sys_admin' AND (${hasSome('u.id', `h.role = '${role}'`)} OR u.own_role = '${role}' AND ${hasNone('u.id', 'true')})`;

/** Where users of any role are found, and those of each: who have it in some organization, or outside of all. */
const ANY_ROLE = { from: 'users u', where: 'true' };
const OF_ROLE: Record<Role, { from: string; where: string }> = {
  [Role.SYSTEM_ADMIN]: { from: 'users u', where: `u.own_role = 'sys_admin'` },
  [Role.ORG_ADMIN]: {
    from: 'memberships m JOIN users u ON u.id = m.user_id',
    where: `m.role = 'org_admin' AND u.own_role <> 'sys_admin' AND ${IS_FIRST}`,
  },
  // Most users are that, so that a list soon ends that looks at one after another.
  [Role.MEMBER]: { from: 'users u', where: isOfRole(Role.MEMBER) },
  [Role.READONLY]: {
    from: `(SELECT user_id AS id FROM memberships m WHERE role = 'readonly' AND ${IS_FIRST}
             UNION ALL
            SELECT id FROM users o WHERE own_role = 'readonly' AND ${hasNone('o.id', 'true')}) r
           JOIN users u ON u.id = r.id`,
    where: `u.own_role <> 'sys_admin'`,
  },
};

/** What leaves out, where all users are sorted by role, those who have a higher one in another organization. */
const NO_HIGHER: Record<Role, string> = {
  [Role.SYSTEM_ADMIN]: 'true',
  [Role.ORG_ADMIN]: 'true',
  [Role.MEMBER]: hasNone('u.id', `h.role = 'org_admin'`),
  [Role.READONLY]: hasNone('u.id', `h.role IN ('member', 'org_admin')`),
};

/** Lists of users: filtered, searched and sorted. */
@Injectable()
export class ListedUsersRepository {
  constructor(private readonly database: DataSource) {}

  /**
   * A page of the users who meet a filter, from after a place in an order. Each order is walked along its index. A search
   * that many users match is answered on the way; for one that few match the walk ends early, and the index of the search
   * finds them all. Users who never logged in are not on the way of the last logins, and come after it.
   */
  async findPage(
    filter: UserFilter,
    order: UserOrder,
    after: Place | null,
    limit: number,
  ): Promise<Placed<User>[]> {
    if (filter.search !== undefined && isAcrossRoles(filter, order) && !(await this.areMany(filter)))
      return this.findAll(filter, order, after, limit);
    const walked = await this.walk(filter, order, after, limit);
    const isWhole = (filter.search === undefined || isAcrossRoles(filter, order)) && !order.isByLogin;
    return isWhole || walked.length === limit ? walked : this.findAll(filter, order, after, limit);
  }

  /** A page of members, each as they are in the organization. */
  findMembers(
    filter: MemberFilter,
    order: UserOrder,
    after: Place | null,
    limit: number,
  ): Promise<Placed<Member>[]> {
    return this.findPage(filter, order, after, limit) as Promise<Placed<Member>[]>;
  }

  /** How to read a whole list of members part by part. */
  readerOfMembers(filter: MemberFilter, order: UserOrder): Promise<ReadUsers<Member>> {
    return this.readerOf(filter, order) as Promise<ReadUsers<Member>>;
  }

  /**
   * How to read a whole list part by part. No part begins again from the beginning: to read all of it looks at each user
   * once, or finds the few who match a search by its index.
   */
  async readerOf(filter: UserFilter, order: UserOrder): Promise<ReadUsers> {
    const isSearch = filter.search !== undefined;
    if (isSearch && (await this.countUpTo(FOUND_AGAIN, filter, hasByIndexSql)) < FOUND_AGAIN)
      return (after, limit) => this.findAll(filter, order, after, limit);
    return async (after, limit) => {
      const isBeyondLogins = order.isByLogin && after?.key === '';
      const walked = isBeyondLogins ? [] : await this.walk(filter, order, after, limit, true);
      if (!order.isByLogin || walked.length === limit) return walked;
      const rest = await this.walkWithoutLogin(
        filter,
        order,
        isBeyondLogins ? after : null,
        limit - walked.length,
      );
      return [...walked, ...rest];
    };
  }

  /** How many users meet a filter, up to MOST_LISTED. Null for a search that so many match that counting them takes long. */
  async count({ search, ...filter }: UserFilter): Promise<number | null> {
    if (search === undefined) return this.countUpTo(MOST_LISTED, filter, hasSql);
    if (await this.areFew(filter)) return this.countUpTo(MOST_LISTED, { ...filter, search }, hasSql);
    return (await this.areMany({ ...filter, search }))
      ? null
      : this.countUpTo(MOST_LISTED, { ...filter, search }, hasByIndexSql);
  }

  /** Whether so many users match a search that they need not be looked for by its index. */
  private async areMany(filter: UserFilter): Promise<boolean> {
    return (await this.walk(filter, NEWEST_FIRST, null, MANY)).length === MANY;
  }

  /** Whether a search can look at all users who meet the rest of a filter. */
  private async areFew(filter: UserFilter): Promise<boolean> {
    return (await this.countUpTo(LOOKED_AT, filter, hasSql)) < LOOKED_AT;
  }

  private async countUpTo(most: number, filter: UserFilter, has: typeof hasSql): Promise<number> {
    const { values, bind } = parameters();
    const { from, filters } = usersOf(filter, bind);
    const where = all([...filters, ...searchOf(filter, has, bind)]);
    const [{ total }] = await this.database.query(
      `SELECT count(*)::int AS total FROM (SELECT FROM ${from} WHERE ${where} LIMIT ${most}) counted`,
      values,
    );
    return total;
  }

  /** A search looks at LOOKED_AT users only, or at however many it takes. */
  private walk(filter: UserFilter, order: UserOrder, after: Place | null, limit: number, isToTheEnd = false) {
    if (isAcrossRoles(filter, order)) return this.walkRoles(filter, order, after, limit);
    const { values, bind } = parameters();
    const { from, filters: where } = usersOf(filter, bind, order);
    const joinLogin = order.isByLogin ? 'JOIN last_logins l ON l.user_id = u.id' : '';
    if (after !== null) where.push(order.isAfter(after, order.sql, bind, order.id));
    const search = searchOf(filter, hasSql, bind);
    const isBounded = search.length > 0 && !isToTheEnd;
    if (!isBounded) where.push(...search);
    return this.select(
      `FROM (SELECT u.*, ${order.sql} AS sort_key FROM ${from} ${joinLogin} WHERE ${all(where)}
              ORDER BY ${order.by(order.sql, order.id)} LIMIT ${isBounded ? LOOKED_AT : limit}) u
       WHERE ${all(isBounded ? search : [])}
       ORDER BY ${order.by('u.sort_key')} LIMIT ${bind(limit)}`,
      filter,
      order,
      { values, bind },
    );
  }

  /** The users of one role after another, each along the index of the ids. */
  private async walkRoles(filter: UserFilter, order: UserOrder, after: Place | null, limit: number) {
    const { values, bind } = parameters();
    const most = bind(limit);
    const isAfterPlace = (place: number, key: number) =>
      order.direction === 'ASC' ? place > key : place < key;
    const ofRoles = ROLES_IN_ORDER.flatMap((role, index) => {
      const [place, key] = [index + 1, Number(after?.key ?? index + 1)];
      if ((filter.role ?? role) !== role || (place !== key && !isAfterPlace(place, key))) return [];
      const { from, filters: where } = usersOf({ ...filter, role }, bind);
      if (filter.role === undefined) where.push(NO_HIGHER[role]);
      if (after !== null && place === key) where.push(order.isAfterById(after, bind));
      return `(SELECT u.*, ${place} AS sort_key FROM ${from} WHERE ${all([...where, ...searchOf(filter, hasSql, bind)])}
                ORDER BY ${order.byId} LIMIT ${most})`;
    });
    if (ofRoles.length === 0) return [];
    const users = `FROM (${ofRoles.join(' UNION ALL ')}) u ORDER BY ${order.by('u.sort_key')} LIMIT ${most}`;
    return this.select(users, filter, order, { values, bind });
  }

  /** Those who never logged in, in the order in which they come after the last logins. */
  private walkWithoutLogin(filter: UserFilter, order: UserOrder, after: Place | null, limit: number) {
    const { values, bind } = parameters();
    const { from, filters } = usersOf(filter, bind);
    const where = [...filters, ...searchOf(filter, hasSql, bind)];
    if (after !== null) where.push(order.isAfterById(after, bind));
    return this.select(
      `FROM (SELECT u.*, '${order.never}'::timestamptz AS sort_key FROM ${from}
              WHERE NOT EXISTS (SELECT FROM last_logins l WHERE l.user_id = u.id) AND ${all(where)}
              ORDER BY ${order.byId} LIMIT ${bind(limit)}) u
       ORDER BY ${order.byId}`,
      filter,
      order,
      { values, bind },
    );
  }

  /** Materialized, or PostgreSQL might walk along the index of the order, as was done before. */
  private async findAll(filter: UserFilter, order: UserOrder, after: Place | null, limit: number) {
    const { search, ...others } = filter;
    const has = search === undefined || (await this.areFew(others)) ? hasSql : hasByIndexSql;
    const { values, bind } = parameters();
    const { from, filters } = usersOf(filter, bind, order);
    const where = all([...filters, ...searchOf(filter, has, bind)]);
    return this.select(
      `FROM (WITH found AS MATERIALIZED (SELECT u.id, ${order.sqlOfAny} AS sort_key FROM ${from} WHERE ${where}),
                  page AS MATERIALIZED (
                    SELECT * FROM found u
                     WHERE ${after === null ? 'true' : order.isAfter(after, 'u.sort_key', bind)}
                     ORDER BY ${order.by('u.sort_key')} LIMIT ${bind(limit)})
             SELECT users.*, sort_key FROM page JOIN users USING (id)) u
       ORDER BY ${order.by('u.sort_key')}`,
      filter,
      order,
      { values, bind },
    );
  }

  /** Reads the users `u` of a statement as members of the organization of the list, or with their only membership. */
  private select(
    users: string,
    { org_id }: UserFilter,
    order: UserOrder,
    { values, bind }: Parameters,
  ): Promise<Placed<User>[]> {
    const [joined, more] =
      org_id === undefined
        ? [JOIN_MEMBERSHIP, '']
        : [`JOIN memberships m ON m.user_id = u.id AND m.org_id = ${bind(org_id)}`, `, ${OF_MEMBERSHIP}`];
    return this.database.query(
      `SELECT ${userColumns(this.database)}${more}, ${order.textOf('u.sort_key')} AS "sortKey"
         FROM (SELECT * ${users}) u ${joined} ORDER BY ${order.by('u.sort_key')}`,
      values,
    );
  }
}

/** Whether the users of all organizations are sorted by their role, for which there is no index. */
function isAcrossRoles({ org_id }: UserFilter, order: UserOrder): boolean {
  return order.isByRole && org_id === undefined;
}

/** The parameters of a statement. */
interface Parameters {
  values: unknown[];
  bind: Bind;
}

function parameters(): Parameters {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/**
 * Where the users `u` of a filter are found, and the conditions that they meet. Their membership `m` is joined where the
 * filter is about an organization, or the order needs it.
 */
function usersOf(filter: UserFilter, bind: Bind, order?: UserOrder): { from: string; filters: string[] } {
  const { org_id, role, email: prefix, disabled, ids } = filter;
  const filters: string[] = [];
  if (prefix !== undefined) filters.push(`u.email LIKE ${bind(`${prefix.replace(/[\\%_]/g, '\\$&')}%`)}`);
  if (disabled !== undefined) filters.push(`u.disabled_at IS ${disabled ? 'NOT NULL' : 'NULL'}`);
  if (ids !== undefined) filters.push(`u.id = ANY (${bind(ids)}::uuid[])`);

  if (org_id === undefined && !order?.isByRole) {
    const { from, where } = role === undefined ? ANY_ROLE : OF_ROLE[role];
    return { from, filters: [...filters, where] };
  }
  if (org_id === undefined) {
    if (role !== undefined) filters.push(role === Role.SYSTEM_ADMIN ? OF_ROLE[role].where : isOfRole(role));
    return { from: USERS_IN_ORGS, filters };
  }
  // Compared with a subquery, whose value PostgreSQL does not know when it plans: of an organization that it knows to be
  // large it would look for the members among all users, newest first, and those may be the oldest.
  filters.push(`m.org_id = (SELECT ${bind(org_id)}::uuid)`);
  if (role === Role.SYSTEM_ADMIN) filters.push(`u.own_role = 'sys_admin'`);
  else if (role !== undefined) filters.push(`m.role = ${bind(role)} AND u.own_role <> 'sys_admin'`);
  // Every membership has its user; where a count asks nothing of them, PostgreSQL leaves them out of a LEFT JOIN.
  return { from: `memberships m ${order ? 'JOIN' : 'LEFT JOIN'} users u ON u.id = m.user_id`, filters };
}

/** A text that could be the beginning of an id finds that as well. */
function searchOf({ search }: UserFilter, has: typeof hasSql, bind: Bind): string[] {
  if (search === undefined) return [];
  const inText = has(SEARCHED_OF_USER, bind(needleOf(search)));
  const ids = idsLike(search)?.map((id) => `${bind(id)}::uuid`);
  return [ids ? `(${inText} OR u.id BETWEEN ${ids.join(' AND ')})` : inText];
}

function all(conditions: string[]): string {
  return conditions.join(' AND ') || 'true';
}
