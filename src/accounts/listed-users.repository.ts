import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { hasByIndexSql, hasSql, idsLike, needleOf, SEARCHED_OF_USER } from '../database/search.js';
import { MOST_LISTED, type Place, type Placed } from '../http/page.js';
import type { Role } from '../http/role.js';
import type { User } from './user.entity.js';
import { type Bind, UserOrder } from './user-order.js';
import { userColumns } from './users.repository.js';

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

/** Reads the users after a place. */
export type ReadUsers = (after: Place | null, limit: number) => Promise<Placed<User>[]>;

const NEWEST_FIRST = new UserOrder('-created_at');

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
    const walked = await this.walk(filter, order, after, limit);
    const isWhole = filter.search === undefined && !order.isByLogin;
    return isWhole || walked.length === limit ? walked : this.findAll(filter, order, after, limit);
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
    const newest = await this.walk({ ...filter, search }, NEWEST_FIRST, null, MANY);
    return newest.length === MANY ? null : this.countUpTo(MOST_LISTED, { ...filter, search }, hasByIndexSql);
  }

  /** Whether a search can look at all users who meet the rest of a filter. */
  private async areFew(filter: UserFilter): Promise<boolean> {
    return (await this.countUpTo(LOOKED_AT, filter, hasSql)) < LOOKED_AT;
  }

  private async countUpTo(most: number, filter: UserFilter, has: typeof hasSql): Promise<number> {
    const { values, bind } = parameters();
    const where = all([...filtersOf(filter, bind), ...searchOf(filter, has, bind)]);
    const [{ total }] = await this.database.query(
      `SELECT count(*)::int AS total FROM (SELECT FROM users u WHERE ${where} LIMIT ${most}) counted`,
      values,
    );
    return total;
  }

  /** A search looks at LOOKED_AT users only, or at however many it takes. */
  private walk(filter: UserFilter, order: UserOrder, after: Place | null, limit: number, isToTheEnd = false) {
    const { values, bind } = parameters();
    const from = order.isByLogin ? 'last_logins l JOIN users u ON u.id = l.user_id' : 'users u';
    const where = filtersOf(filter, bind);
    if (after !== null) where.push(order.isAfter(after, order.sql, bind, order.id));
    const search = searchOf(filter, hasSql, bind);
    const isBounded = search.length > 0 && !isToTheEnd;
    if (!isBounded) where.push(...search);
    return this.select(
      `FROM (SELECT u.*, ${order.sql} AS sort_key FROM ${from} WHERE ${all(where)}
              ORDER BY ${order.by(order.sql, order.id)} LIMIT ${isBounded ? LOOKED_AT : limit}) u
       WHERE ${all(isBounded ? search : [])}
       ORDER BY ${order.by('u.sort_key')} LIMIT ${bind(limit)}`,
      order,
      values,
    );
  }

  /** Those who never logged in, in the order in which they come after the last logins. */
  private walkWithoutLogin(filter: UserFilter, order: UserOrder, after: Place | null, limit: number) {
    const { values, bind } = parameters();
    const where = [...filtersOf(filter, bind), ...searchOf(filter, hasSql, bind)];
    if (after !== null) where.push(order.isAfterById(after, bind));
    return this.select(
      `FROM (SELECT u.*, '${order.never}'::timestamptz AS sort_key FROM users u
              WHERE NOT EXISTS (SELECT FROM last_logins l WHERE l.user_id = u.id) AND ${all(where)}
              ORDER BY ${order.byId} LIMIT ${bind(limit)}) u
       ORDER BY ${order.byId}`,
      order,
      values,
    );
  }

  /** Materialized, or PostgreSQL might walk along the index of the order, as was done before. */
  private async findAll(filter: UserFilter, order: UserOrder, after: Place | null, limit: number) {
    const { search, ...others } = filter;
    const has = search === undefined || (await this.areFew(others)) ? hasSql : hasByIndexSql;
    const { values, bind } = parameters();
    const where = all([...filtersOf(filter, bind), ...searchOf(filter, has, bind)]);
    return this.select(
      `FROM (WITH found AS MATERIALIZED (SELECT u.id, ${order.sqlOfAny} AS sort_key FROM users u WHERE ${where}),
                  page AS MATERIALIZED (
                    SELECT * FROM found u
                     WHERE ${after === null ? 'true' : order.isAfter(after, 'u.sort_key', bind)}
                     ORDER BY ${order.by('u.sort_key')} LIMIT ${bind(limit)})
             SELECT users.*, sort_key FROM page JOIN users USING (id)) u
       ORDER BY ${order.by('u.sort_key')}`,
      order,
      values,
    );
  }

  private select(fromWhere: string, order: UserOrder, values: unknown[]): Promise<Placed<User>[]> {
    return this.database.query(
      `SELECT ${userColumns(this.database)}, ${order.textOf('u.sort_key')} AS "sortKey" ${fromWhere}`,
      values,
    );
  }
}

function parameters(): { values: unknown[]; bind: Bind } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

function filtersOf({ email: prefix, org_id, role, disabled, ids }: UserFilter, bind: Bind): string[] {
  const filters: string[] = [];
  if (prefix !== undefined) filters.push(`u.email LIKE ${bind(`${prefix.replace(/[\\%_]/g, '\\$&')}%`)}`);
  // Compared with a subquery, whose value PostgreSQL does not know when it plans: of an organization that it knows to be
  // large it would look for the members among all users, newest first, and those may be the oldest.
  if (org_id !== undefined) filters.push(`u.org_id = (SELECT ${bind(org_id)}::uuid)`);
  if (role !== undefined) filters.push(`u.role = ${bind(role)}`);
  if (disabled !== undefined) filters.push(`u.disabled_at IS ${disabled ? 'NOT NULL' : 'NULL'}`);
  if (ids !== undefined) filters.push(`u.id = ANY (${bind(ids)}::uuid[])`);
  return filters;
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
