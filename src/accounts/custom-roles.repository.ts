import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { isUniqueViolation } from '../database/failures.js';
import type { OrgRole } from '../http/role.js';
import { CustomRole } from './custom-role.entity.js';

/** What is known of a role when it is made. */
export type NewRole = Pick<CustomRole, 'orgId' | 'id' | 'name' | 'base' | 'permissions'>;

/** A role, and how many members have it. */
export type CountedRole = Omit<CustomRole, 'org'> & { memberCount: number };

/** What has a role, so that it cannot be removed. */
export interface RoleUse {
  members: number;
  /** Those that are open; one that has expired can be sent again. */
  invitations: number;
}

const COLUMNS = `
  r.org_id AS "orgId", r.id, r.name, r.base, r.permissions, r.created_at AS "createdAt", r.changed_at AS "changedAt",
  (SELECT count(*)::int FROM memberships m WHERE m.org_id = r.org_id AND m.role_id = r.id) AS "memberCount"`;

const IS_OPEN = 'accepted_at IS NULL AND revoked_at IS NULL';

const ofHolder = (holder: string) => `r.org_id = ${holder}.org_id AND r.id = ${holder}.role_id`;

/** SQL for the custom role of a membership or an invitation, as `NamedRole`; NULL for none. */
export const NAMED_ROLE = (holder: string) =>
  `(SELECT json_build_object('id', r.id, 'name', r.name) FROM org_roles r WHERE ${ofHolder(holder)})`;

/** The same, with the permissions that were given to the role. */
export const WHOLE_ROLE = (holder: string) =>
  `(SELECT json_build_object('id', r.id, 'name', r.name, 'permissions', r.permissions) FROM org_roles r WHERE ${ofHolder(holder)})`;

/** The roles that organizations compose. A caller that changes one has locked its organization. */
@Injectable()
export class CustomRolesRepository {
  constructor(private readonly database: DataSource) {}

  /** Those of an organization, by their names. */
  findOf(orgId: string): Promise<CountedRole[]> {
    return this.database.query(
      `SELECT ${COLUMNS} FROM org_roles r WHERE r.org_id = $1 ORDER BY lower(r.name), r.id`,
      [orgId],
    );
  }

  /** How many members of an organization have each of the built-in roles. */
  async countBuiltIn(orgId: string): Promise<Map<OrgRole, number>> {
    const counted = await this.database.query<{ role: OrgRole; members: number }[]>(
      'SELECT role, count(*)::int AS members FROM memberships WHERE org_id = $1 AND role_id IS NULL GROUP BY role',
      [orgId],
    );
    return new Map(counted.map(({ role, members }) => [role, members]));
  }

  async find(
    orgId: string,
    id: string,
    tx: Transaction | DataSource = this.database,
  ): Promise<CountedRole | null> {
    const [role] = await tx.query<CountedRole[]>(
      `SELECT ${COLUMNS} FROM org_roles r WHERE r.org_id = $1 AND r.id = $2`,
      [orgId, id],
    );
    return role ?? null;
  }

  countOf(orgId: string, tx: Transaction): Promise<number> {
    return tx.manager.countBy(CustomRole, { orgId });
  }

  /** Returns false where the organization has another role of that name. */
  insert(role: NewRole, tx: Transaction): Promise<boolean> {
    return this.unlessTaken(tx, (inner) => inner.manager.insert(CustomRole, role));
  }

  /** Returns false where the organization has another role of that name. */
  update(
    { orgId, id }: Pick<CustomRole, 'orgId' | 'id'>,
    change: Partial<Pick<CustomRole, 'name' | 'permissions'>>,
    tx: Transaction,
  ): Promise<boolean> {
    return this.unlessTaken(tx, (inner) =>
      inner.manager.update(CustomRole, { orgId, id }, { ...change, changedAt: () => 'now()' }),
    );
  }

  async findUse(orgId: string, id: string, tx: Transaction): Promise<RoleUse> {
    const [use] = await tx.query<[RoleUse]>(
      `SELECT (SELECT count(*)::int FROM memberships WHERE org_id = $1 AND role_id = $2) AS members,
              (SELECT count(*)::int FROM invitations WHERE org_id = $1 AND role_id = $2 AND ${IS_OPEN}) AS invitations`,
      [orgId, id],
    );
    return use;
  }

  /** Removes a role that neither a member nor an open invitation has. Invitations that are over forget it. */
  async delete(orgId: string, id: string, tx: Transaction): Promise<void> {
    await tx.query(
      `UPDATE invitations SET role_id = NULL WHERE org_id = $1 AND role_id = $2 AND NOT (${IS_OPEN})`,
      [orgId, id],
    );
    await tx.manager.delete(CustomRole, { orgId, id });
  }

  /** In a savepoint of its own, so that the transaction outlives a name that is taken. */
  private async unlessTaken(
    tx: Transaction,
    write: (inner: Transaction) => Promise<unknown>,
  ): Promise<boolean> {
    try {
      await tx.savepoint(write);
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }
}
