import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { DataSource, In } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { hasSql, idsLike, needleOf, searchedSql } from '../database/search.js';
import type { OrgPolicy } from '../http/caller.js';
import { NO_POLICY } from '../http/org-policy.js';
import { MOST_LISTED, type Order, type Place, type Placed } from '../http/page.js';
import { Org } from './org.entity.js';
import { IS_ACTIVE_ADMIN } from './users.repository.js';

/** An organization and how many belong to it. */
export type CountedOrg = Pick<
  Org,
  'id' | 'name' | 'locale' | 'externalId' | 'createdAt' | 'secondFactorRequiredAt'
> & {
  memberCount: number;
};

const COLUMNS = `
  o.id, o.name, o.locale, o.external_id AS "externalId", o.created_at AS "createdAt", o.second_factor_required_at AS "secondFactorRequiredAt",
  (SELECT count(*)::int FROM memberships m WHERE m.org_id = o.id) AS "memberCount"`;

/** What an organization `o` asks of the sessions that enter it, as JSON; NULL for nothing. */
export const POLICY = `
  CASE WHEN num_nonnulls(o.second_factor_required_at, o.policy_idle_minutes, o.policy_age_minutes,
                         o.policy_login_methods, o.policy_networks) > 0
       THEN json_build_object('secondFactor', o.second_factor_required_at IS NOT NULL,
                              'idleMinutes', o.policy_idle_minutes, 'ageMinutes', o.policy_age_minutes,
                              'loginMethods', o.policy_login_methods, 'networks', o.policy_networks) END`;

/** What an organization asks of the sessions that enter it, and whether SYSTEM_ADMINs may act in it for its members. */
export type WholePolicy = OrgPolicy & { acting: boolean };

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

  exists(id: string): Promise<boolean> {
    return this.database.manager.existsBy(Org, { id });
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

  async insert(org: Pick<Org, 'id' | 'name' | 'locale'>, tx: Transaction): Promise<void> {
    await tx.manager.insert(Org, org);
  }

  /** Locks an organization until the transaction ends, so that what is decided by counting stays right. */
  lock(id: string, tx: Transaction): Promise<Org | null> {
    return tx.manager.findOne(Org, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Whether an organization lets SYSTEM_ADMINs act for its members, which stays so until the transaction ends; false also for none. */
  async lockForActing(id: string, tx: Transaction): Promise<boolean> {
    const [org] = await tx.query<{ isAllowed: boolean }[]>(
      'SELECT policy_acting AS "isAllowed" FROM organizations WHERE id = $1 FOR SHARE',
      [id],
    );
    return org?.isAllowed === true;
  }

  /** Sets what an organization says of itself. */
  async describe(
    id: string,
    description: Partial<Pick<Org, 'name' | 'locale'>>,
    tx: Transaction,
  ): Promise<void> {
    await tx.manager.update(Org, { id }, description);
  }

  /** What an organization asks of the sessions that enter it; null where there is no such organization. */
  async findPolicy(id: string, tx: Transaction | DataSource = this.database): Promise<WholePolicy | null> {
    const [org] = await tx.query<{ policy: OrgPolicy | null; acting: boolean }[]>(
      `SELECT ${POLICY} AS policy, o.policy_acting AS acting FROM organizations o WHERE o.id = $1`,
      [id],
    );
    return org ? { ...(org.policy ?? NO_POLICY), acting: org.acting } : null;
  }

  /** The organizations whose members no admin looks after, and those that name networks; the first ones of each. */
  async findDoubtful(limit: number): Promise<{ withoutAdmin: string[]; withNetworks: string[] }> {
    const idsWhere = async (condition: string): Promise<string[]> => {
      const found: { id: string }[] = await this.database.query(
        `SELECT o.id FROM organizations o WHERE ${condition} ORDER BY o.id LIMIT $1`,
        [limit],
      );
      return found.map(({ id }) => id);
    };
    return {
      withNetworks: await idsWhere('o.policy_networks IS NOT NULL'),
      withoutAdmin: await idsWhere(
        `EXISTS (SELECT FROM memberships m WHERE m.org_id = o.id)
         AND NOT EXISTS (SELECT FROM memberships m JOIN users u ON u.id = m.user_id
                          WHERE m.org_id = o.id AND ${IS_ACTIVE_ADMIN})`,
      ),
    };
  }

  async setPolicy(id: string, policy: WholePolicy, tx: Transaction): Promise<void> {
    await tx.manager.update(
      Org,
      { id },
      {
        secondFactorRequiredAt: policy.secondFactor
          ? () => 'coalesce(second_factor_required_at, now())'
          : null,
        policyIdleMinutes: policy.idleMinutes,
        policyAgeMinutes: policy.ageMinutes,
        policyLoginMethods: policy.loginMethods,
        policyNetworks: policy.networks,
        policyActing: policy.acting,
      },
    );
  }

  async delete(id: string, tx: Transaction): Promise<void> {
    await tx.manager.delete(Org, { id });
  }
}

function valuesOf({ search, name, ids }: OrgFilter): unknown[] {
  return [name, ids, search && needleOf(search), ...((search && idsLike(search)) || [null, null])];
}
