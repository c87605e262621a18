import type { User } from '../users/user.entity.js';

/** Who pays for a user: the organization they belong to, else they themselves. */
export type Payer = { orgId: string } | { userId: string };

export function payerOf({ id, orgId }: User): Payer {
  return orgId === null ? { userId: id } : { orgId };
}
