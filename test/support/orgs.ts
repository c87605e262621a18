import { randomUUID } from 'node:crypto';
import { Role } from '../../src/http/role.js';
import { completedSignup, freshAddress, loggedIn, PASSWORD } from './accounts.js';
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

/** Makes an organization by signup, and its members by invitation, as users do. */
export async function foundOrg(app: TestApp, name = 'Analytical'): Promise<TestOrg> {
  const { email } = await completedSignup(app, { path: '/auth/signup-org', org_name: name });
  const admin = await asMember(await loggedIn(app, email));
  const id = (await admin.get('/users/me')).body.user.org_id;
  // Both invitations are mailed together, as the service takes a moment for each look at its queue of mails.
  const first = await invited(admin, id, freshAddress(), Role.MEMBER);
  const second = await invited(admin, id, freshAddress(), Role.READONLY);
  return { id, admin, member: await joined(app, first), readonly: await joined(app, second) };
}

/** Invites a person who has no account, who accepts and logs in. */
export async function joinOrg(
  app: TestApp,
  { id, admin }: Pick<TestOrg, 'id' | 'admin'>,
  role: Role,
): Promise<Member> {
  return joined(app, await invited(admin, id, freshAddress(), role));
}

/** Lets a person who was invited, and has no account, accept and log in. */
async function joined(app: TestApp, email: string): Promise<Member> {
  const token = await app.mailbox.token(email);
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
