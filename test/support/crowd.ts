import bcrypt from 'bcrypt';
import { uuidv7 } from 'uuidv7';
import { orgRoleOf, ownRoleOf, Role } from '../../src/http/role.js';
import { hashToken, mintToken } from '../../src/secrets/token.js';
import { freshAddress, PASSWORD } from './accounts.js';
import type { TestDatabase } from './test-database.js';

/** A person with an account, and a session of it. */
export interface Person {
  id: string;
  email: string;
  /** The header that carries the session. */
  cookie: string;
}

const PASSWORD_HASH = bcrypt.hashSync(PASSWORD, 4);

/** Makes many people at once without the API, each of them logged in; their password is `PASSWORD`. */
export async function crowd(
  database: TestDatabase,
  size: number,
  { role = Role.MEMBER, orgId = null as string | null } = {},
): Promise<Person[]> {
  const people = Array.from({ length: size }, () => {
    const token = mintToken();
    return {
      id: uuidv7(),
      email: freshAddress(),
      cookie: `session_id=${token}`,
      tokenHash: hashToken(token),
    };
  });
  const ids = people.map(({ id }) => id);
  await database.rows(
    `INSERT INTO users (id, email, email_verified_at, own_role, password_hash, password_changed_at)
     SELECT id, email, now(), $3, $4, now() FROM unnest($1::uuid[], $2::text[]) AS people (id, email)`,
    [ids, people.map(({ email }) => email), ownRoleOf(role), PASSWORD_HASH],
  );
  if (orgId !== null)
    await database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) SELECT id, $2, $3, 'invitation' FROM unnest($1::uuid[]) AS id`,
      [ids, orgId, orgRoleOf(role)],
    );
  await database.rows(
    `INSERT INTO sessions (id, user_id, token_hash, auth_method, authenticated_at, expires_at)
     SELECT gen_random_uuid(), user_id, token_hash, 'password', now(), now() + interval '1 day'
       FROM unnest($1::uuid[], $2::bytea[]) AS sessions (user_id, token_hash)`,
    [ids, people.map(({ tokenHash }) => tokenHash)],
  );
  return people.map(({ id, email, cookie }) => ({ id, email, cookie }));
}

/** A person in a session in which a SYSTEM_ADMIN acts for them, with a session of their own, in an organization or in none. */
export async function actedFor(
  database: TestDatabase,
  person: Person,
  { orgId = null as string | null, mayWrite = true } = {},
): Promise<Person & { adminId: string }> {
  const [admin] = (await crowd(database, 1, { role: Role.SYSTEM_ADMIN })) as [Person];
  const token = mintToken();
  await database.rows(
    `INSERT INTO sessions (id, user_id, token_hash, auth_method, expires_at, parent_id, actor_id, acting_org_id,
                           acting_may_write)
     SELECT gen_random_uuid(), $1, $2, 'acting', expires_at, id, user_id, $4, $5 FROM sessions WHERE user_id = $3`,
    [person.id, hashToken(token), admin.id, orgId, mayWrite],
  );
  return { ...person, cookie: `session_id=${token}`, adminId: admin.id };
}

/** The token of a new link for a person, which no mail has. */
export async function linkFor(
  database: TestDatabase,
  { id, email }: Person,
  purpose: string,
  sentTo = email,
): Promise<string> {
  const token = mintToken();
  await database.rows(
    `INSERT INTO one_time_tokens (id, user_id, purpose, token_hash, sent_to, expires_at)
     VALUES ($1, $2, $3, $4, $5, now() + interval '1 hour')`,
    [uuidv7(), id, purpose, hashToken(token), sentTo],
  );
  return token;
}

/** The token of a new signup for an address, and the cookie of the browser that made it. */
export async function signupFor(
  database: TestDatabase,
  email: string,
): Promise<{ token: string; cookie: string }> {
  const [token, browserToken] = [mintToken(), mintToken()];
  await database.rows(
    `INSERT INTO signups (id, email, password_hash, browser_hash, token_hashes, expires_at)
     VALUES ($1, $2, 'none that fits', $3, ARRAY[$4::bytea], now() + interval '1 hour')`,
    [uuidv7(), email, hashToken(browserToken), hashToken(token)],
  );
  return { token, cookie: `session_id_signup=${browserToken}` };
}

/** The token of a new invitation for an address, which no mail has either. */
export async function invitationFor(database: TestDatabase, email: string, orgId: string): Promise<string> {
  const token = mintToken();
  await database.rows(
    `INSERT INTO invitations (id, org_id, email, role, token_hash, expires_at)
     VALUES ($1, $2, $3, 'member', $4, now() + interval '1 hour')`,
    [uuidv7(), orgId, email, hashToken(token)],
  );
  return token;
}

/** An organization without members. */
export async function emptyOrg(database: TestDatabase): Promise<string> {
  return database.value(`INSERT INTO organizations (id, name) VALUES ($1, 'Initech') RETURNING id`, [
    uuidv7(),
  ]);
}
