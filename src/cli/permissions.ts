import { Permissions } from '../access/permissions.js';
import { GrantedPermissionsRepository } from '../accounts/granted-permissions.repository.js';
import { Transactions } from '../audit/transactions.js';
import { readEnvironment } from '../config/read-environment.js';
import { THE_SERVICE } from '../http/caller.js';
import type { Product } from '../start/product.js';
import { withService } from './with-service.js';

/** `permissions list`: a line for each, with the least role that has it. */
export async function listPermissions(product: Product): Promise<void> {
  const { all } = await declaredIn(product);
  const width = Math.max(...all.map(({ name }) => name.length));
  for (const { name, from, keys, title } of all)
    console.log(`${name.padEnd(width)}  from ${from.padEnd(9)}  ${keys ? 'keys' : '    '}  ${title}`);
}

/** `permissions types`: a declaration for the compiler of a front end, for which other names are mistakes. */
export async function permissionTypes(product: Product): Promise<void> {
  const { all } = await declaredIn(product);
  const names = all.map(({ name }) => `      | '${name}'`).join('\n');
  console.log(`// Written by npm run cli -- permissions types.
import 'latchkey-client';

declare module 'latchkey-client' {
  interface Declared {
    permission:
${names};
  }
}`);
}

/** `permissions forget <name>`: so that the name means nothing to old roles and keys if it comes back with another meaning. */
export async function forgetPermission(product: Product, name: string): Promise<void> {
  await withService(product, async (service) => {
    if (service.get(Permissions).isDeclared(name))
      throw new Error(`${name} is declared. Take it out of the code first.`);
    const granted = service.get(GrantedPermissionsRepository);
    const { roles, keys } = await service
      .get(Transactions)
      .run(THE_SERVICE, (tx) => granted.remove(name, tx));
    console.log(`${name} is taken out of ${roles} roles and ${keys} keys.`);
  });
}

async function declaredIn({ permissions }: Product): Promise<Permissions> {
  return Permissions.declared(await readEnvironment(), permissions);
}
