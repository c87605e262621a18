import { type Call, operationsOver } from './call.js';
import { ADMIN_ROUTES, type paths } from './contract.js';
import type { Latchkey, LatchkeyInOrg } from './latchkey.js';
import type { AdminOperations, OperationsInOrg } from './types.js';

export type { AdminOperations } from './types.js';

/** The client of a service whose paths are `P`, with the operations of admins. */
export type AdminLatchkey<P = paths> = WithAdmin<Latchkey<P>>;

/** The same in an organization. */
export type AdminLatchkeyInOrg<P = paths> = WithAdminInOrg<LatchkeyInOrg<P>>;

type WithAdmin<Client extends AnyClient> = Omit<Client, 'in'> &
  AdminOperations & { in(orgId: string | null): WithAdminInOrg<ReturnType<Client['in']>> };

type WithAdminInOrg<Client> = Omit<Client, 'in'> &
  OperationsInOrg<typeof ADMIN_ROUTES> & { in(orgId: string | null): WithAdminInOrg<Client> };

type AnyClient = Pick<Latchkey, 'session'> & { call: unknown; in(orgId: string | null): AnyClient };

/** A client with the operations of admins as well, for the pages of an application that need them. */
export function withAdmin<Client extends AnyClient>(client: Client): WithAdmin<Client> {
  const bound: Record<string, object> = {};
  const extended = (given: AnyClient): object => ({
    ...given,
    ...operationsOver(given.call as Call, ADMIN_ROUTES),
    in: (orgId: string | null) => (bound[orgId as string] ??= extended(client.in(orgId))),
  });
  return extended(client) as unknown as WithAdmin<Client>;
}
