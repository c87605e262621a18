import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { NASTY_NAMES, type Nasty, seedNasty } from '../support/nasty.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { allow } from './all-said.js';
import { CONSOLE } from './console.js';
import { joinAll } from './consultant.js';
import { fitsEverywhere, fitsOnPhones, opensWithoutMoving, watchShifts } from './layout.js';
import { isAccessible, shoot } from './looks.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

/** The name of the organization with the 1,200 members. */
const COMPANY = NASTY_NAMES[0] as string;

const [IMPRINT, ACCESSIBILITY] = ['Imprint', 'Information on how we handle accessibility of this service'];

let stripe: StripeStandIn;
let stage: Stage;
let nasty: Nasty;
let system: Visitor;
let admin: Visitor;
beforeAll(async () => {
  stripe = await StripeStandIn.start();
  stage = await Stage.inDev({
    ...stripe.variables,
    SVC_PRODUCT_NAME: 'Analytical',
    SVC_FOOTER_LINKS: JSON.stringify([
      { url: 'https://example.com/imprint', words: { en: IMPRINT } },
      { url: 'https://example.com/legal', words: { en: ACCESSIBILITY } },
    ]),
  });
  allow(IMPRINT, ACCESSIBILITY);
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
    ['overview', '', 'Recent events'],
    ['organizations', '/organizations', 'Initech'],
    ['users', '/users', 'Unconfirmed'],
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
    await system.press(`Delete the account ${nasty.disabled.email}`);
    await system.sees('cannot be brought back');
    await fitsEverywhere(system.page, 'dialog', NASTY_NAMES);
    await isAccessible(system, 'nasty-dialog');
  });

  it('the dialog of a new user', async () => {
    await system.open(`${CONSOLE}/users`);
    await system.press('Create user');
    await system.sees('a link to choose a password');
    await fitsEverywhere(system.page, 'dialog of a new user', NASTY_NAMES);
    await isAccessible(system, 'nasty-dialog-create-user');
  });

  it.each(['Change the name', 'Change the address', 'Change the role', 'Disable the account'])(
    'the dialog “%s” of a user',
    async (act) => {
      await system.open(`${CONSOLE}/user?id=${nasty.admin.id}`);
      await system.press(act);
      await system.find('dialog').waitFor();
      await fitsEverywhere(system.page, act, NASTY_NAMES, [320, 768, 1280]);
      await shoot(system.page, `nasty-dialog-${act.toLowerCase().replaceAll(' ', '-')}`);
    },
  );

  it('the dialog that invites many', async () => {
    await system.open(`${CONSOLE}/organization?id=${nasty.orgId}`);
    await system.press('Invite');
    await system.find('dialog').waitFor();
    await fitsEverywhere(system.page, 'dialog of invitations', NASTY_NAMES, [320, 768, 1280]);
    await isAccessible(system, 'nasty-dialog-invite');
  });

  it('several members who are selected, and the dialog about them', async () => {
    await system.open(`${CONSOLE}/organization?id=${nasty.orgId}`);
    await system.tick('Select all members on this page');
    await fitsEverywhere(system.page, 'several members selected', NASTY_NAMES, [320, 768, 1280]);
    await system.press('Change role of 50 members');
    await system.find('dialog').waitFor();
    await fitsEverywhere(system.page, 'dialog of several members', NASTY_NAMES, [320, 768, 1280]);
    await shoot(system.page, 'nasty-dialog-selection');
  });

  it('the menu on a phone', async () => {
    for (const [visitor, section] of [
      [system, 'Organizations'],
      [admin, 'Organization'],
    ] as const) {
      await visitor.page.setViewportSize({ width: 390, height: 800 });
      await visitor.open(`${CONSOLE}/activity?type=checkout.started`);
      await visitor.find('heading', 'Activity').waitFor();
      await visitor.press('Menu');
      await visitor.find('link', section).waitFor();
      await fitsOnPhones(visitor.page, 'menu', NASTY_NAMES);
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

  it('the choice of an organization, one of several and the way to the others, for an admin of all', async () => {
    await joinAll(stage.app, nasty.admin.id);
    await standsFirm(admin, CONSOLE, 'choice of an organization', 'Your organizations');
    const address = `${CONSOLE}/organization?id=${nasty.orgId}`;
    await standsFirm(admin, address, 'one of several organizations', '1,200 members');
    await standsFirm(admin, `${CONSOLE}/activity?org_id=${nasty.orgId}`, 'activity of several', 'Until');
    await admin.page.setViewportSize({ width: 1280, height: 800 });
    await admin.unfold(COMPANY);
    await fitsEverywhere(admin.page, 'the others', NASTY_NAMES, [1280, 1600]);
    await isAccessible(admin, 'nasty-the-others');
    await admin.page.setViewportSize({ width: 320, height: 800 });
    await admin.press('Menu');
    await fitsOnPhones(admin.page, 'the others in the menu', NASTY_NAMES);
    await isAccessible(admin, 'nasty-the-others-in-the-menu');
    await standsFirm(system, `${CONSOLE}/user?id=${nasty.admin.id}`, 'user of several', 'Linked login');
  });
});

/** Everything that is promised of a screen: see the module of the layout. */
async function standsFirm(visitor: Visitor, address: string, name: string, text: string): Promise<void> {
  for (const width of [390, 1280]) await opensWithoutMoving(visitor.page, address, width);
  await visitor.sees(text);
  // What unfolds needs the most room.
  const unfolds = visitor.page.locator('main summary').filter({ visible: true });
  if ((await unfolds.count()) > 0) await unfolds.last().click();
  await fitsEverywhere(visitor.page, name, NASTY_NAMES);
  await isAccessible(visitor, `nasty-${name.replaceAll(' ', '-')}`);
}

async function visitorOf(email: string): Promise<Visitor> {
  const visitor = await stage.visitor();
  await visitor.logIn(email);
  await watchShifts(visitor.page.context());
  return visitor;
}
