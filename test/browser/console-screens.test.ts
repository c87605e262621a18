import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedInAs, verified } from '../support/accounts.js';
import { addApp } from '../support/authenticator-app.js';
import { foundOrg, type TestOrg } from '../support/orgs.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { CONSOLE } from './console.js';
import { inPage, looksRight, readsInLargeLetters } from './looks.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

const TABLES_THAT_LEAVE_THEIR_CARD = `
  [...document.querySelectorAll('table')].filter((table) => table.offsetWidth > table.closest('.card').clientWidth).length`;

let stripe: StripeStandIn;
let stage: Stage;
let org: TestOrg;
let system: Visitor;
let admin: Visitor;
beforeAll(async () => {
  stripe = await StripeStandIn.start();
  stage = await Stage.inDev({ ...stripe.variables, SVC_PRODUCT_NAME: 'Analytical' });
  org = await foundOrg(stage.app, 'Analytical Engines');
  await org.admin.post(`/orgs/${org.id}/invitations`, { email: 'charles@example.com', role: 'member' });
  await rename(org.admin, 'ada@example.com');
  await rename(org.member, 'grace@example.com');
  await rename(org.readonly, 'alan@example.com');
  await addApp(stage.app, { browser: org.member, id: org.member.id });
  const root = await loggedInAs(stage.app, 'sys_admin');
  await rename(root, 'root@example.com');
  system = await visitorOf(root.email);
  admin = await visitorOf(org.admin.email);
});
afterAll(async () => {
  await stage.stop();
  await stripe.stop();
});

describe('every screen of the console, in its states', () => {
  it('overview', async () => {
    await system.open(CONSOLE);
    await system.sees('Recent events');
    await system.sees('Logged in');
    await looksRight(system, 'console-overview');
  });

  it('organizations', async () => {
    await system.open(`${CONSOLE}/organizations`);
    await system.sees('Analytical Engines');
    await looksRight(system, 'console-organizations');

    await system.press('Create organization');
    await system.sees('It starts without members.');
    await looksRight(system, 'console-organizations-create');

    await system.open(`${CONSOLE}/organizations?search=none`);
    await system.sees('Nothing matches.');
    await looksRight(system, 'console-organizations-none');
  });

  it('organization, for a system admin', async () => {
    await system.open(`${CONSOLE}/organization?id=${org.id}`);
    await system.sees('charles@example.com');
    await system.sees(org.admin.email);
    await looksRight(system, 'console-organization');

    await system.press('Delete Analytical Engines');
    await system.sees('1 pending invitation stops working.');
    await looksRight(system, 'console-organization-delete');

    system.expectRefusal('400 /orgs/no-such');
    await system.open(`${CONSOLE}/organization?id=no-such`);
    await system.sees('There is no such organization');
    await looksRight(system, 'console-organization-gone');
  });

  it('organization, for its admin', async () => {
    await admin.open(CONSOLE);
    await admin.sees('charles@example.com');
    await admin.sees(org.member.email);
    await looksRight(admin, 'console-own-organization');

    await admin.press('Invite');
    await looksRight(admin, 'console-invite');
    await admin.submit('Invite', { Email: freshAddress() });
    await admin.sees('is invited.');
    await looksRight(admin, 'console-invited');
  });

  it('a screen for others', async () => {
    await admin.open(`${CONSOLE}/organizations`);
    await admin.sees('This is for system admins.');
    await looksRight(admin, 'console-refused');

    const nobody = await visitorOf(await verified(stage.app));
    await nobody.open(CONSOLE);
    await nobody.sees('There is nothing for you to administer.');
    await looksRight(nobody, 'console-nothing');
  });
});

describe('a system admin who has set the browser otherwise', () => {
  it('reads every screen in letters twice as large: no table leaves its card, nothing scrolls sideways', async () => {
    const screens = [
      '',
      '/organizations',
      `/organization?id=${org.id}`,
      '/users',
      `/user?id=${org.member.id}`,
    ];
    for (const screen of [...screens, '/activity', '/mail', '/billing', '/system']) {
      await system.page.setViewportSize({ width: 1280, height: 800 });
      await system.page.goto(CONSOLE + screen, { waitUntil: 'networkidle' });
      await inPage(system.page, `document.documentElement.style.fontSize = '200%', null`);
      expect([screen, await inPage(system.page, TABLES_THAT_LEAVE_THEIR_CARD)]).toEqual([screen, 0]);
      await readsInLargeLetters(system, `console${screen.replace(/\?.*/, '').replace('/', '-')}`);
    }
  });
});

async function visitorOf(email: string): Promise<Visitor> {
  const visitor = await stage.visitor();
  await visitor.logIn(email);
  return visitor;
}

/** Gives a user an address that reads well in a picture. */
async function rename(user: { email: string }, email: string): Promise<void> {
  for (const table of ['users', 'invitations'])
    await stage.app.database.rows(`UPDATE ${table} SET email = $2 WHERE email = $1`, [user.email, email]);
  user.email = email;
}
