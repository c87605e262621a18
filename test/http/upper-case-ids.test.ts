import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import { freshAddress, loggedIn, loggedInAs } from '../support/accounts.js';
import type { Answer, Browser } from '../support/browser.js';
import { foundOrg, joinOrg, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let root: Browser;
let org: TestOrg;
beforeAll(async () => {
  app = await TestApp.start();
  root = await loggedInAs(app, 'sys_admin');
  org = await foundOrg(app);
});
afterAll(() => app.close());

const path = () => `/orgs/${org.id.toUpperCase()}`;

/** Sends an invitation, and returns its id in capitals. */
async function invitation(): Promise<string> {
  const { body } = await org.admin.post(`${path()}/invitations`, { email: freshAddress(), role: 'member' });
  return body.invitation.id.toUpperCase();
}

const CALLS: Record<string, () => Promise<Answer>> = {
  'an organization, by a member': () => org.readonly.get(path()),
  'an organization, by a SYSTEM_ADMIN': () => root.get(path()),
  'an organization to rename': () => org.admin.patch(path(), { name: 'Analytical' }),
  'its members': () => org.member.get(`${path()}/members`),
  'its invitations': () => org.admin.get(`${path()}/invitations`),
  'an invitation to revoke': async () => org.admin.delete(`${path()}/invitations/${await invitation()}`),
  'an invitation to send again': async () =>
    org.admin.post(`${path()}/invitations/${await invitation()}/resend`),
  'a member to change': () =>
    org.admin.patch(`${path()}/members/${org.member.id.toUpperCase()}`, { role: 'member' }),
  'a member to remove': async () => {
    const { id } = await joinOrg(app, org, Role.MEMBER);
    return org.admin.delete(`${path()}/members/${id.toUpperCase()}`);
  },
  'oneself, to leave': async () => {
    const member = await joinOrg(app, org, Role.MEMBER);
    return member.delete(`${path()}/members/${member.id.toUpperCase()}`);
  },
  'a user': () => root.get(`/users/${org.member.id.toUpperCase()}`),
  'a user to change': () => root.patch(`/users/${org.member.id.toUpperCase()}`, { role: 'member' }),
  'a session to end': async () => {
    const browser = await loggedIn(app);
    const { session } = (await browser.get('/users/me')).body;
    return browser.delete(`/sessions/${session.id.toUpperCase()}`);
  },
};

describe('an id in capitals', () => {
  it.each(Object.entries(CALLS))('finds %s', async (_, call) => {
    expect([200, 202, 204]).toContain((await call()).status);
  });

  it('finds the users of an organization in a list', async () => {
    const { status, body } = await root.get(`/users?org_id=${org.id.toUpperCase()}`);
    expect([status, body.data.length > 0]).toEqual([200, true]);
  });
});
