import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';

/** A permission, and how many roles and live keys hold it. */
export interface GrantedPermission {
  name: string;
  roles: number;
  keys: number;
}

/** The permissions that stand in the roles of organizations and in keys. */
@Injectable()
export class GrantedPermissionsRepository {
  constructor(private readonly database: DataSource) {}

  /** Those that are not among some names. */
  findBeside(names: readonly string[]): Promise<GrantedPermission[]> {
    return this.database.query(
      `SELECT name, count(*) FILTER (WHERE of = 'role')::int AS roles, count(*) FILTER (WHERE of = 'key')::int AS keys
         FROM (SELECT unnest(permissions) AS name, 'role' AS of FROM org_roles
                UNION ALL
               SELECT unnest(permissions), 'key' FROM keys WHERE ended_at IS NULL) granted
        WHERE name <> ALL ($1) GROUP BY name ORDER BY name`,
      [names],
    );
  }

  /** Takes a permission out of all roles and keys. Returns how many held it. */
  async remove(name: string, tx: Transaction): Promise<Omit<GrantedPermission, 'name'>> {
    const removal = 'permissions = array_remove(permissions, $1)';
    const holds = '$1 = ANY (permissions)';
    const [, roles] = await tx.query<[unknown, number]>(
      `UPDATE org_roles SET ${removal}, changed_at = now() WHERE ${holds}`,
      [name],
    );
    const [, keys] = await tx.query<[unknown, number]>(`UPDATE keys SET ${removal} WHERE ${holds}`, [name]);
    return { roles, keys };
  }
}
