import { latchkey } from './service.js';

/** A user, with what an act on them would concern. */
export type Account = Awaited<ReturnType<typeof readAccount>>;

export async function readAccount(id: string) {
  const [{ user }, sessions, identities] = await Promise.all([
    latchkey.getUser({ id }),
    latchkey.listUserSessions({ id, limit: 100 }),
    latchkey.listUserIdentities({ id }),
  ]);
  const organizations = await organizationsOf(user);
  return { user, organizations, sessions: sessions.data, identities: identities.data };
}

type ManagedUser = Awaited<ReturnType<typeof latchkey.getUser>>['user'];

/** What a user belongs to, by name: of all but the only one that they may enter, the account has only the ids. */
function organizationsOf({ organizations, org_id, org_name }: ManagedUser) {
  return Promise.all(
    organizations.map(async ({ id, role, suspended }) => {
      const name = id === org_id ? org_name : (await latchkey.getOrg({ org_id: id })).org.name;
      return { id, role, suspended, name };
    }),
  );
}
