import { Permissions } from '../access/permissions.js';
import { readEnvironment } from '../config/read-environment.js';
import type { Product } from '../start/product.js';

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

async function declaredIn({ permissions }: Product): Promise<Permissions> {
  return Permissions.declared(await readEnvironment(), permissions);
}
