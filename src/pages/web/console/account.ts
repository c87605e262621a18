import { latchkey } from './service.js';

/** A user, with what an act on them would concern. */
export type Account = Awaited<ReturnType<typeof readAccount>>;

export async function readAccount(id: string) {
  const [{ user }, sessions, identities] = await Promise.all([
    latchkey.getUser({ id }),
    latchkey.listUserSessions({ id, limit: 100 }),
    latchkey.listUserIdentities({ id }),
  ]);
  return { user, sessions: sessions.data, identities: identities.data };
}
