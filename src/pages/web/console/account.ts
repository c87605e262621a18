import { latchkey } from './service.js';

/** A user, with what an act on them would concern. */
export type Account = Awaited<ReturnType<typeof readAccount>>;

export async function readAccount(id: string) {
  const [{ user }, sessions, identities] = await Promise.all([
    latchkey.getUser({ id }),
    latchkey.listUserSessions({ id, limit: 100 }),
    latchkey.listUserIdentities({ id }),
  ]);
  const org = user.org_id === null ? null : (await latchkey.getOrg({ org_id: user.org_id })).org;
  return { user, org, sessions: sessions.data, identities: identities.data, readAt: Date.now() };
}
