import { randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import type { Role } from '../../src/http/role.js';
import { PasswordHasher } from '../../src/passwords/password-hasher.js';
import type { Browser } from './browser.js';
import type { TestApp } from './test-app.js';
import type { TestDatabase } from './test-database.js';

export const PASSWORD = 'correct horse battery staple';

/** An address that no account has used yet. */
export function freshAddress(): string {
  return `user-${randomBytes(6).toString('hex')}@example.com`;
}

/** A person who has signed up and not opened the mail yet. */
export async function signedUp(
  app: TestApp,
  { email = freshAddress(), password = PASSWORD } = {},
): Promise<string> {
  const { status } = await app.browser().post('/auth/signup', { email, password });
  if (status !== 202) throw new Error(`signup answered ${status}`);
  return email;
}

/** The users as a table, each with the organization, and the role there or outside of any. */
export const ACCOUNTS = `(
  SELECT u.*, m.org_id, CASE u.own_role WHEN 'sys_admin' THEN u.own_role ELSE coalesce(m.role, u.own_role) END AS role
    FROM users u LEFT JOIN memberships m ON m.user_id = u.id
) AS accounts`;

/** A person with an account and a verified address, made without the API: it has no mail, no session and no event. */
export async function verified(
  app: TestApp,
  { email = freshAddress(), password = PASSWORD } = {},
): Promise<string> {
  const passwordHash = await app.nest.get(PasswordHasher).hash(password, { ip: null });
  await app.database.rows(
    `INSERT INTO users (id, email, email_verified_at, password_hash, password_changed_at)
     VALUES ($1, $2, now(), $3, now())`,
    [uuidv7(), email, passwordHash],
  );
  return email;
}

/** A browser that has signed up, and opened the link, which logs in. */
export async function completedSignup(
  app: TestApp,
  { path = '/auth/signup', ...body }: { path?: string; email?: string; [field: string]: unknown } = {},
): Promise<Browser & { email: string }> {
  const browser = app.browser();
  const signup = await browser.post(path, { email: freshAddress(), password: PASSWORD, ...body });
  if (signup.status !== 202) throw new Error(`signup answered ${signup.status}`);
  const { email } = signup.body;
  const { status } = await browser.post('/auth/verify-email', { token: await app.mailbox.token(email) });
  if (status !== 200) throw new Error(`verify-email answered ${status}`);
  return Object.assign(browser, { email });
}

/** A browser in which an account has logged in. */
export async function loggedIn(
  app: TestApp,
  email?: string,
  password = PASSWORD,
): Promise<Browser & { email: string }> {
  const address = email ?? (await verified(app));
  const browser = app.browser();
  const { status } = await browser.post('/auth/login', { email: address, password });
  if (status !== 200) throw new Error(`login answered ${status}`);
  return Object.assign(browser, { email: address });
}

/** A browser in which a user of a role has logged in, and the id of their account. */
export async function loggedInAs(
  app: TestApp,
  role: `${Role}`,
): Promise<Browser & { email: string; id: string }> {
  const browser = await loggedIn(app);
  await giveRole(app.database, browser.email, role);
  const sql = 'SELECT id FROM users WHERE email = $1';
  return Object.assign(browser, { id: await app.database.value(sql, [browser.email]) });
}

/**
 * Gives a user, by id or address, a role: in their organization, or without one in the service. An ORG_ADMIN gets an
 * organization where they have none.
 */
export async function giveRole(database: TestDatabase, who: string, role: string): Promise<void> {
  const isMember = await database.value(
    'SELECT EXISTS (SELECT FROM memberships WHERE user_id = u.id) FROM users u WHERE $1 IN (id::text, email)',
    [who],
  );
  if (role === 'org_admin' && !isMember) await found(database, who);
  const isOwn = role === 'sys_admin' || (role === 'readonly' && !isMember);
  await database.rows('UPDATE users SET own_role = $2 WHERE $1 IN (id::text, email)', [
    who,
    isOwn ? role : 'member',
  ]);
  if (role !== 'sys_admin')
    await database.rows(
      'UPDATE memberships m SET role = $2 FROM users u WHERE u.id = m.user_id AND $1 IN (u.id::text, u.email)',
      [who, role],
    );
}

/** Makes a user the admin of a new organization. */
const found = (database: TestDatabase, who: string) =>
  database.rows(
    `WITH made AS (INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), 'Initech') RETURNING id)
     INSERT INTO memberships (user_id, org_id, role, joined_by)
     SELECT u.id, made.id, 'org_admin', 'founded' FROM users u, made WHERE $1 IN (u.id::text, u.email)`,
    [who],
  );

/** How many sessions an account has. */
export function activeSessions(app: TestApp, { id }: { id: string }): Promise<number> {
  return app.database.value(
    'SELECT count(*)::int FROM sessions WHERE user_id = $1 AND invalidated_at IS NULL AND expires_at > now()',
    [id],
  );
}
