import { randomUUID } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { Role } from '../../src/http/role.js';
import { completedSignup, freshAddress, giveRole, loggedIn, PASSWORD, verified } from './accounts.js';
import type { Browser } from './browser.js';
import type { TestApp } from './test-app.js';
import type { TestDatabase } from './test-database.js';

/** A user who has logged in, with their id and address. */
export type Member = Browser & { id: string; email: string };

/** An organization with a user in each of its roles. */
export interface TestOrg {
  id: string;
  admin: Member;
  member: Member;
  readonly: Member;
}

/** Makes an organization with its members, without the API: they have a session each, and no mail. */
export async function foundOrg(app: TestApp, name = 'Analytical'): Promise<TestOrg> {
  const id = uuidv7();
  await app.database.rows('INSERT INTO organizations (id, name) VALUES ($1, $2)', [id, name]);
  const admin = await joinOrg(app, { id }, Role.ORG_ADMIN);
  const member = await joinOrg(app, { id }, Role.MEMBER);
  return { id, admin, member, readonly: await joinOrg(app, { id }, Role.READONLY) };
}

/** Makes a member of an organization, who has logged in. */
export async function joinOrg(app: TestApp, { id: orgId }: { id: string }, role: Role): Promise<Member> {
  const email = await verified(app);
  await place(app.database, email, orgId, role);
  return asMember(await loggedIn(app, email));
}

/** The same by signup and invitations, as users do: with the events and mails of each. */
export async function signUpOrg(app: TestApp, name = 'Analytical'): Promise<TestOrg> {
  const { email } = await completedSignup(app, { path: '/auth/signup-org', org_name: name });
  const admin = await asMember(await loggedIn(app, email));
  const id = (await admin.get('/users/me')).body.user.org_id;
  const member = await joinByInvitation(app, { id, admin }, Role.MEMBER);
  return { id, admin, member, readonly: await joinByInvitation(app, { id, admin }, Role.READONLY) };
}

/** Lets an admin invite a person who has no account, who accepts and logs in. */
export async function joinByInvitation(
  app: TestApp,
  { id, admin }: Pick<TestOrg, 'id' | 'admin'>,
  role: Role,
): Promise<Member> {
  const email = freshAddress();
  const token = await invite(app, admin, id, email, role);
  const { status } = await app.browser().post('/invitations/accept', { token, password: PASSWORD });
  if (status !== 201) throw new Error(`accept answered ${status}`);
  return asMember(await loggedIn(app, email));
}

/** Invites an address and reads the token from the mail. */
export async function invite(
  app: TestApp,
  admin: Browser,
  orgId: string,
  email: string,
  role: string = Role.MEMBER,
): Promise<string> {
  return app.mailbox.token(await invited(admin, orgId, email, role));
}

/** Invites an address, and returns it. */
async function invited(admin: Browser, orgId: string, email: string, role: string): Promise<string> {
  const { status } = await admin.post(`/orgs/${orgId}/invitations`, { email, role });
  if (status !== 201) throw new Error(`the invitation answered ${status}`);
  return email;
}

/** A logged-in browser together with the id of its user. */
export async function asMember(browser: Browser & { email: string }): Promise<Member> {
  return Object.assign(browser, { id: (await browser.get('/users/me')).body.user.id });
}

/** Puts people into an organization of their own. */
export async function organize(app: TestApp, ...people: Member[]): Promise<void> {
  const orgId = randomUUID();
  await app.database.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'Initech')`, [orgId]);
  for (const { id } of people) await place(app.database, id, orgId);
}

/** Puts a user, by id or address, out of any organization and into one, with a role or that which they had. */
export async function place(
  database: TestDatabase,
  who: string,
  orgId: string | null,
  role: string | null = null,
): Promise<void> {
  const [former] = await database.rows(
    'DELETE FROM memberships m USING users u WHERE u.id = m.user_id AND $1 IN (u.id::text, u.email) RETURNING m.role',
    [who],
  );
  if (orgId !== null)
    await database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by)
       SELECT id, $2, coalesce($3, replace(own_role, 'sys_admin', 'org_admin')), 'invitation'
         FROM users WHERE $1 IN (id::text, email)`,
      [who, orgId, role ?? former?.role],
    );
  else if (role !== null) await giveRole(database, who, role);
}
