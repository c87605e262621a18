import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { type Nasty, seedNasty } from '../support/nasty.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { CONSOLE } from './console.js';
import { fitsEverywhere, fitsOnPhones, opensWithoutMoving, watchShifts } from './layout.js';
import { isAccessible, shoot } from './looks.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

let stripe: StripeStandIn;
let stage: Stage;
let nasty: Nasty;
let system: Visitor;
let admin: Visitor;
beforeAll(async () => {
  stripe = await StripeStandIn.start();
  stage = await Stage.inDev({ ...stripe.variables, SVC_PRODUCT_NAME: 'Analytical' });
  nasty = await seedNasty(stage.app);
  system = await visitorOf(nasty.system.email);
  admin = await visitorOf(nasty.admin.email);
});
afterAll(async () => {
  await stage.stop();
  await stripe.stop();
});

describe('with long names, full addresses and 1,200 members, nothing moves, leaves the window or breaks', () => {
  it.each([
    ['overview', '', 'What happened last'],
    ['organizations', '/organizations', 'Initech'],
    ['users', '/users', 'Address not confirmed'],
    ['activity', '/activity', 'Unknown browser'],
    ['mail', '/mail', 'smtp answered'],
    ['failed mails', '/mail?state=dead', 'Send again'],
    ['billing', '/billing', 'Open at Stripe'],
    ['system', '/system', 'settings have their default'],
  ])('%s', async (name, path, text) => {
    await standsFirm(system, `${CONSOLE}${path}`, name, text);
  });

  it('organization, for a system admin', async () => {
    await standsFirm(system, `${CONSOLE}/organization?id=${nasty.orgId}`, 'organization', '1,200 members');
  });

  it('an organization without members', async () => {
    await standsFirm(
      system,
      `${CONSOLE}/organization?id=${nasty.emptyOrgId}`,
      'empty organization',
      '0 members',
    );
  });

  it('user', async () => {
    await standsFirm(system, `${CONSOLE}/user?id=${nasty.disabled.id}`, 'user', 'Linked login');
    await standsFirm(system, `${CONSOLE}/user?id=${nasty.admin.id}`, 'user with a history', 'What');
    await standsFirm(system, `${CONSOLE}/user?id=${nasty.system.id}`, 'own user', 'This is you.');
  });

  it('a dialog that names somebody', async () => {
    await system.open(`${CONSOLE}/user?id=${nasty.disabled.id}`);
    await system.press(`Delete ${nasty.disabled.email}`);
    await system.sees('cannot be brought back');
    await fitsEverywhere(system.page, 'dialog', nasty.names);
    await isAccessible(system, 'nasty-dialog');
  });

  it('the dialog of a new user', async () => {
    await system.open(`${CONSOLE}/users`);
    await system.press('Create user');
    await system.sees('The user chooses the password');
    await fitsEverywhere(system.page, 'dialog of a new user', nasty.names);
    await isAccessible(system, 'nasty-dialog-create-user');
  });

  it.each(['Change the name', 'Change the address', 'Change the role', 'Disable the account'])(
    'the dialog “%s” of a user',
    async (act) => {
      await system.open(`${CONSOLE}/user?id=${nasty.admin.id}`);
      await system.press(act);
      await system.page.getByRole('dialog').waitFor();
      await fitsEverywhere(system.page, act, nasty.names, [320, 768, 1280]);
      await shoot(system.page, `nasty-dialog-${act.toLowerCase().replaceAll(' ', '-')}`);
    },
  );

  it('the dialog that invites many', async () => {
    await system.open(`${CONSOLE}/organization?id=${nasty.orgId}`);
    await system.press('Invite');
    await system.page.getByRole('dialog').waitFor();
    await fitsEverywhere(system.page, 'dialog of invitations', nasty.names, [320, 768, 1280]);
    await isAccessible(system, 'nasty-dialog-invite');
  });

  it('several members who are selected, and the dialog about them', async () => {
    await system.open(`${CONSOLE}/organization?id=${nasty.orgId}`);
    await system.page.getByLabel('Select all').first().check();
    await fitsEverywhere(system.page, 'several members selected', nasty.names, [320, 768, 1280]);
    await system.page.getByRole('button', { name: /^Change role: \d+ members/ }).click();
    await system.page.getByRole('dialog').waitFor();
    await fitsEverywhere(system.page, 'dialog of several members', nasty.names, [320, 768, 1280]);
    await shoot(system.page, 'nasty-dialog-selection');
  });

  it('the menu on a phone', async () => {
    for (const [visitor, section] of [
      [system, 'Organizations'],
      [admin, 'Organization'],
    ] as const) {
      await visitor.page.setViewportSize({ width: 390, height: 800 });
      await visitor.open(`${CONSOLE}/activity?type=checkout.started`);
      await visitor.sees('Activity');
      await visitor.press('Menu');
      await visitor.page.getByRole('link', { name: section, exact: true }).waitFor();
      await fitsOnPhones(visitor.page, 'menu', nasty.names);
      await visitor.page.setViewportSize({ width: 320, height: 800 });
      await shoot(visitor.page, `nasty-menu-${section.toLowerCase()}`);
    }
  });

  it('an address that is none', async () => {
    system.expectRefusal('404 /admin/no-such-screen');
    await standsFirm(system, `${CONSOLE}/no-such-screen`, 'no such screen', 'Page not found');
  });

  it('organization and activity, for an admin of the organization', async () => {
    await standsFirm(admin, `${CONSOLE}/organization`, 'own organization', '1,200 members');
    await standsFirm(admin, `${CONSOLE}/activity`, 'own activity', 'Unknown browser');
  });
});

/** Everything that is promised of a screen: see the module of the layout. */
async function standsFirm(visitor: Visitor, address: string, name: string, text: string): Promise<void> {
  for (const width of [390, 1280]) await opensWithoutMoving(visitor.page, address, width);
  await visitor.sees(text);
  // What unfolds needs the most room.
  const unfolds = visitor.page.locator('main summary').filter({ visible: true });
  if ((await unfolds.count()) > 0) await unfolds.last().click();
  await fitsEverywhere(visitor.page, name, nasty.names);
  await isAccessible(visitor, `nasty-${name.replaceAll(' ', '-')}`);
}

async function visitorOf(email: string): Promise<Visitor> {
  const visitor = await stage.visitor();
  await visitor.logIn(email);
  await watchShifts(visitor.page.context());
  return visitor;
}
