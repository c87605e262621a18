import { uuidv7 } from 'uuidv7';
import { hashToken, mintToken } from '../../src/secrets/token.js';
import type { Person } from './crowd.js';
import type { TestDatabase } from './test-database.js';

/** The token of a new link for somebody, of which no mail tells. */
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

/** The token of a new invitation for an address, of which no mail tells either. */
export async function invitationFor(database: TestDatabase, email: string, orgId: string): Promise<string> {
  const token = mintToken();
  await database.rows(
    `INSERT INTO invitations (id, org_id, email, role, token_hash, expires_at)
     VALUES ($1, $2, $3, 'member', $4, now() + interval '1 hour')`,
    [uuidv7(), orgId, email, hashToken(token)],
  );
  return token;
}

/** An organization without anybody in it. */
export async function emptyOrg(database: TestDatabase): Promise<string> {
  return database.value(`INSERT INTO organizations (id, name) VALUES ($1, 'Initech') RETURNING id`, [
    uuidv7(),
  ]);
}
