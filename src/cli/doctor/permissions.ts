import type { DataSource } from 'typeorm';
import { Permissions } from '../../access/permissions.js';
import { GrantedPermissionsRepository } from '../../accounts/granted-permissions.repository.js';
import type { Environment } from '../../config/environment.js';
import type { Finding } from '../../config/preflight/finding.js';
import type { Product } from '../../start/product.js';

/** As many as a line has room for. */
const MOST_NAMED = 10;

/** Permissions that roles and keys hold, and that the code no longer declares. */
export async function examinePermissions(
  database: DataSource,
  environment: Environment,
  { permissions }: Product,
): Promise<Finding[]> {
  const declared = Permissions.declared(environment, permissions).all.map(({ name }) => name);
  const unknown = await new GrantedPermissionsRepository(database).findBeside(declared);
  if (unknown.length === 0) return [];
  const named = unknown
    .slice(0, MOST_NAMED)
    .map(({ name, roles, keys }) => `${name} (${roles} roles, ${keys} keys)`);
  return [
    {
      code: 'PERMISSION_UNKNOWN',
      severity: 'warning',
      text: `Permissions that are granted and not declared, so that they count for nothing: ${named.join(', ')}.`,
      fix: 'Declare them again, or take each out of all roles and keys: npm run cli -- permissions forget <name>.',
    },
  ];
}
