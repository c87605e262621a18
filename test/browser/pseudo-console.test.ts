import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { freshAddress } from '../support/accounts.js';
import { type Nasty, seedNasty } from '../support/nasty.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { saysAll } from './all-said.js';
import { CONSOLE } from './console.js';
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

describe('on a narrow phone in a language that is a third longer, the console takes its words from the catalogue', () => {
  it('users', async () => {
    await system.open(`${CONSOLE}/users`);
    await system.sees('Unconfirmed');
    await system.press('Filters');
    await saysAll(system, 'users');
    await system.follow('Older');
    await system.sees('Newest', system.page.locator('.pages a'));
    await saysAll(system, 'users-older');
    await system.open(`${CONSOLE}/users?sort=name`);
    await system.sees('Next', system.page.locator('.pages a'));
    await saysAll(system, 'users-sorted');
    await system.open(`${CONSOLE}/users?search=nobody`);
    await system.sees('Nothing matches.');
    await saysAll(system, 'users-none');
    system.expectRefusal('400 /users');
    await system.open(`${CONSOLE}/users?role=owner`);
    await system.sees('This filter does not work.');
    await saysAll(system, 'users-no-such-filter');
    await system.open(`${CONSOLE}/users`);
    await saysAllInDialog(system, 'Create user', 'It works for seven days.');
  });

  it('several users', async () => {
    await system.open(`${CONSOLE}/users`);
    await system.tick('Select all users on this page');
    await system.sees('users selected');
    await saysAll(system, 'users-selected');
    for (const act of ['End sessions of', 'Change role of', 'Enable', 'Disable']) {
      await system.find('button', act, { isPart: true }).first().click();
      await system.find('dialog').waitFor();
      await saysAll(system, `users-${act}`);
      await system.press('Cancel');
    }
    await system.open(`${CONSOLE}/users?search=${nasty.disabled.email}`);
    await system.tick('Select all users on this page');
    await system.press('End sessions of 1 user');
    await system.press('End sessions');
    await system.sees('All done.');
    await saysAll(system, 'users-ended');
    system.expectRefusal('409 /users/{id}');
    await system.open(`${CONSOLE}/users?search=${nasty.disabled.email}`);
    await system.tick('Select all users on this page');
    await system.press('Change role of 1 user');
    await system.choose('Role', 'System admin');
    await system.press('Change role');
    await system.page.locator('.results').waitFor();
    await saysAll(system, 'users-role-refused');
  });

  it('user', async () => {
    await system.open(`${CONSOLE}/user?id=${nasty.admin.id}`);
    await system.sees('Linked login');
    await saysAll(system, 'user');
    for (const [button, text] of [
      ['Change the name', 'Change the name of'],
      ['Change the address', 'We warn the present address.'],
      ['Change the role', 'counts from the next request on'],
      ['Disable the account', 'cannot log in until'],
      ['Email a link for a new password', 'You do not see the link.'],
      ['End all sessions', 'sessions end at once'],
      [`Delete the account ${nasty.admin.email}`, 'cannot be brought back'],
    ] as const)
      await saysAllInDialog(system, button, text);
    await system.press('Change the name');
    await system.press('Save');
    await system.sees('The new name is saved.');
    await saysAll(system, 'user-renamed');
    await system.find('button', 'End the session of', { isPart: true }).first().click();
    await system.sees('End this session?');
    await saysAll(system, 'user-session');
    await system.press('Cancel');

    await system.open(`${CONSOLE}/user?id=${nasty.loner.id}`);
    await saysAllInDialog(system, 'Reset the second factors', 'First make sure');
    await system.open(`${CONSOLE}/user?id=${nasty.disabled.id}`);
    await saysAllInDialog(system, 'Enable the account', 'do not come back');
    await system.open(`${CONSOLE}/user?id=${nasty.system.id}`);
    await system.sees('This is you.');
    await saysAll(system, 'user-own');
  });

  it('organizations', async () => {
    await system.open(`${CONSOLE}/organizations`);
    await system.sees('Required');
    await saysAll(system, 'organizations');
    await saysAllInDialog(system, 'Create organization', 'It starts without members.');
  });

  it('organization', async () => {
    await system.open(`${CONSOLE}/organization?id=${nasty.orgId}`);
    await system.sees('renews');
    await system.sees('1,200');
    await system.sees('Pending', system.page.locator('.badge'));
    await saysAll(system, 'organization');
    for (const [act, text] of [
      ['Change role of', 'Admins invite and remove members'],
      ['Reset factors of', 'Do this for a member'],
      ['Suspend', 'They stay a member.'],
      ['Remove', 'They lose access'],
      ['Revoke the invitation of', 'The link in the email stops working.'],
    ] as const) {
      await system.find('button', act, { isPart: true }).first().click();
      await system.sees(text);
      await saysAll(system, `organization-${act}`);
      await system.press('Cancel');
    }
    for (const [button, text] of [
      ['Invite', 'that works for seven days'],
      ['Invite many', 'separated by commas'],
      ['Rename', 'Rename'],
    ] as const)
      await saysAllInDialog(system, button, text);
    await system.find('button', 'Delete', { isPart: true }).click();
    await system.sees('pending invitations stop working');
    await saysAll(system, 'organization-delete');
    await system.press('Cancel');
    await system.open(`${CONSOLE}/organization?id=${nasty.emptyOrgId}`);
    await system.sees('No members yet.');
    await system.sees('No invitations yet.');
    await saysAll(system, 'organization-empty');
  });

  it('several members and invitations', async () => {
    await system.open(`${CONSOLE}/organization?id=${nasty.orgId}`);
    await system.tick('Select all members on this page');
    await system.tick('Select all pending invitations on this page');
    await system.sees('members selected');
    await system.sees('selected');
    await saysAll(system, 'members-selected');
    for (const act of [
      'Change role of 50 members',
      'Remove 50 members',
      'Resend 5 invitations',
      'Revoke 5 invitations',
    ]) {
      await system.press(act);
      await system.find('dialog').waitFor();
      await saysAll(system, `members-${act}`);
      await system.press('Cancel');
    }
  });

  it('invitations of many', async () => {
    await admin.open(`${CONSOLE}/organization`);
    await admin.sees('members');
    await admin.hasLoaded();
    await saysAll(admin, 'own-organization');
    await admin.press('Invite many');
    await admin.submit('Invite them', { 'Email addresses': `${freshAddress()}, nobody@` });
    await admin.sees('This is not an email address.');
    await saysAll(admin, 'invited-many');
    await admin.press('Close');
    await saysAllInDialog(admin, 'Invite', 'that works for seven days');
  });

  it('a second factor of every member', async () => {
    // As after a login with a second factor, without which the page does not offer it.
    await stage.app.database.rows('UPDATE sessions SET aal = 2 WHERE user_id = $1', [nasty.admin.id]);
    await admin.open(`${CONSOLE}/organization`);
    await saysAllInDialog(admin, 'Require it', 'who has none');
    await stage.app.database.rows(
      'UPDATE organizations SET second_factor_required_at = now() WHERE id = $1',
      [nasty.orgId],
    );
    await admin.open(`${CONSOLE}/organization`);
    await saysAllInDialog(admin, 'Stop requiring it', 'Members can then remove');
    await saysAll(admin, 'own-organization-required');
  });

  it('an organization that is not there', async () => {
    system.expectRefusal('400 /orgs/no-such');
    await system.open(`${CONSOLE}/organization?id=no-such`);
    await system.sees('There is no such organization');
    await saysAll(system, 'organization-gone');
    await system.open(`${CONSOLE}/organization`);
    await system.sees('names no organization');
    await saysAll(system, 'organization-none');
  });
});

/** In a browser that speaks the pseudo-language, on the narrowest phone. */
async function visitorOf(email: string): Promise<Visitor> {
  const visitor = await stage.visitor({ language: 'en-XA' }, { viewport: { width: 320, height: 800 } });
  await visitor.logIn(email);
  return visitor;
}

async function saysAllInDialog(visitor: Visitor, button: string, text: string): Promise<void> {
  await visitor.press(button);
  await visitor.sees(text);
  await saysAll(visitor, button);
  await visitor.press('Cancel');
}
