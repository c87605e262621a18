import bcrypt from 'bcrypt';
import { uuidv7 } from 'uuidv7';
import { Role } from '../../src/http/role.js';
import { hashToken, mintToken } from '../../src/secrets/token.js';
import { freshAddress, PASSWORD } from './accounts.js';
import type { TestDatabase } from './test-database.js';

/** Somebody with an account, and a session of it. */
export interface Person {
  id: string;
  email: string;
  /** The header that tells the service of the session. */
  cookie: string;
}

const PASSWORD_HASH = bcrypt.hashSync(PASSWORD, 4);

/** Makes many people at once, past the API, who are logged in as if each had done so; their password is `PASSWORD`. */
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
    `INSERT INTO users (id, email, email_verified_at, role, org_id, password_hash, password_changed_at)
     SELECT id, email, now(), $3, $4, $5, now() FROM unnest($1::uuid[], $2::text[]) AS people (id, email)`,
    [ids, people.map(({ email }) => email), role, orgId, PASSWORD_HASH],
  );
  await database.rows(
    `INSERT INTO sessions (id, user_id, token_hash, auth_method, expires_at)
     SELECT gen_random_uuid(), user_id, token_hash, 'password', now() + interval '1 day'
       FROM unnest($1::uuid[], $2::bytea[]) AS sessions (user_id, token_hash)`,
    [ids, people.map(({ tokenHash }) => tokenHash)],
  );
  return people.map(({ id, email, cookie }) => ({ id, email, cookie }));
}
