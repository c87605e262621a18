import { randomUUID } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { Role } from '../../src/http/role.js';
import { completedSignup, freshAddress, loggedIn, PASSWORD, verified } from './accounts.js';
import type { Browser } from './browser.js';
import type { TestApp } from './test-app.js';

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
  const id = await app.database.value(
    'UPDATE users SET org_id = $1, role = $2 WHERE email = $3 RETURNING id',
    [orgId, role, email],
  );
  return Object.assign(await loggedIn(app, email), { id });
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
  await app.database.rows('UPDATE users SET org_id = $1 WHERE id = ANY($2)', [
    orgId,
    people.map(({ id }) => id),
  ]);
}
