import { type Call, operationsOver } from './call.js';
import { ADMIN_ROUTES, type paths } from './contract.js';
import type { Latchkey } from './latchkey.js';
import type { AdminOperations } from './types.js';

export type { AdminOperations } from './types.js';

/** The client of a service whose paths are `P`, with the operations of admins. */
export type AdminLatchkey<P = paths> = Latchkey<P> & AdminOperations;

/** A client with the operations of admins as well, for the pages of an application that need them. */
export function withAdmin<Client extends Pick<Latchkey, 'session'> & { call: unknown }>(
  client: Client,
): Client & AdminOperations {
  return { ...client, ...operationsOver(client.call as Call, ADMIN_ROUTES) };
}
