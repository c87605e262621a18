import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AdminService } from '../../src/auth/account/admin.service.js';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { subscribe } from '../support/billing.js';
import { linkIn } from '../support/mails.js';
import { foundOrg } from '../support/orgs.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { CONSOLE, refusalsOfUser, systemAdmin } from './console.js';
import { addressesOf, furtherPagesOf } from './foreign-addresses.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

const OLD_ORG = '01a1fab1-b331-7244-ab8e-0fcc455f8898';

let stripe: StripeStandIn;
let stage: Stage;
beforeAll(async () => {
  stripe = await StripeStandIn.start();
  stage = await Stage.inDev(stripe.variables);
});
afterAll(async () => {
  await stage.stop();
  await stripe.stop();
});

describe('with the keyboard alone', () => {
  it('an organization begins: from the printed link of the first admin to the members', async () => {
    const [root, boss, peter] = [freshAddress(), freshAddress(), freshAddress()];
    const { passwordLink } = await stage.app.nest.get(AdminService).appoint(root, { isMailed: false });
    const admin = await stage.visitor({ hasMouse: false });
    await admin.open(passwordLink ?? '');
    await admin.submit('Set password', { 'New password': PASSWORD });
    await admin.submit('Log in', { Email: root, Password: PASSWORD });
    await admin.sees('Needs your attention');
    expect(admin.path).toBe('/admin');

    await admin.follow('Organizations');
    await admin.press('Create organization');
    await admin.sees('It starts without members.');
    await admin.submit('Create', { Name: 'Initech', 'Email of its admin': boss });
    await admin.sees(`You have created Initech, and invited ${boss}.`);
    await admin.sees('No members yet.');
    await admin.press(`Resend the invitation of ${boss}`);
    await admin.sees(`${boss} gets a new link`);

    const bill = await stage.visitor({ hasMouse: false });
    await bill.open(linkIn(await stage.app.mailbox.last(boss)));
    await bill.submit('Join', { Password: PASSWORD });
    await bill.sees(`${boss} (you)`);
    expect(bill.path).toBe('/admin/organization');
    await bill.press('Invite');
    await bill.sees('We email a link that works for seven days.');
    await bill.submit('Invite', { Email: peter });
    await bill.sees(`${peter} is invited.`);
    expect(await focused(bill)).toBe('Invite');

    await bill.press(`Revoke the invitation of ${peter}`);
    await bill.sees('The link in the email stops working.');
    await bill.press('Revoke');
    await bill.sees(`${peter} is no longer invited.`);
    await bill.sees('Revoked', bill.find('row'));
    expect(await focused(bill)).toBe('Invitations');
    await bill.page.reload();
    await bill.sees(peter);
  });
});

describe('on a phone', () => {
  it('the sections are a menu, which Escape closes', async () => {
    const root = await systemAdmin(stage);
    await root.page.setViewportSize({ width: 320, height: 640 });
    await root.open(CONSOLE);
    await root.sees('Needs your attention');
    const users = root.find('link', 'Users');
    expect(await users.isVisible()).toBe(false);

    await root.press('Menu');
    await users.waitFor();
    await root.page.keyboard.press('Escape');
    await users.waitFor({ state: 'hidden' });
    expect(await focused(root)).toBe('Menu');

    await root.press('Menu');
    await root.follow('Organizations');
    await root.find('heading', 'Organizations').waitFor();
    expect(root.path).toBe('/admin/organizations');
  });
});

describe('a dialog', () => {
  it('looks the same wherever it is opened, in the row of a table too', async () => {
    const { admin, member } = await foundOrg(stage.app);
    const boss = await stage.visitor();
    await boss.logIn(admin.email);

    for (const width of [1280, 390]) {
      await boss.page.setViewportSize({ width, height: 800 });
      await boss.open(`${CONSOLE}/organization`);
      await boss.press('Invite');
      const inHead = await looksOfDialog(boss);
      await boss.press('Cancel');
      await boss.press(`Change role of ${member.email}`);
      expect(await looksOfDialog(boss)).toEqual(inHead);
    }
  });
});

describe('an organization in the console', () => {
  it('is found by a part of its name, at an address that a colleague can be sent', async () => {
    const [{ id }] = [await foundOrg(stage.app, 'Umbrella Works'), await foundOrg(stage.app, 'Hooli')];
    const root = await systemAdmin(stage);
    await root.open(`${CONSOLE}/organizations`);
    await root.submit('Filter', { 'Name or ID': 'BRELLA w' });
    await root.sees('Umbrella Works');
    expect(await root.text()).not.toContain('Hooli');
    expect(root.path).toBe('/admin/organizations?search=BRELLA+w');

    await root.follow('Umbrella Works');
    await root.sees('3 members');
    expect(root.path).toBe(`/admin/organization?id=${id}`);
    await root.page.goBack({ waitUntil: 'commit' });
    await root.follow('Clear');
    await root.sees('Hooli');
  });

  it('leads to its settings, which stand below pages of members, with the keyboard alone', async () => {
    const { admin } = await foundOrg(stage.app);
    const boss = await stage.visitor({ hasMouse: false });
    await boss.logIn(admin.email);
    await boss.page.setViewportSize({ width: 1280, height: 400 });
    await boss.open(`${CONSOLE}/organization`);
    await boss.follow('Settings');

    await boss.page.waitForFunction(
      `document.querySelector('h2#settings').getBoundingClientRect().top < innerHeight`,
    );
    expect(await focused(boss)).toBe('Settings');
    await boss.press('Rename');
    await boss.sees('Rename Analytical');
  });

  it('is on the list, to which the browser goes back from a new one', async () => {
    const root = await systemAdmin(stage);
    await root.open(`${CONSOLE}/organizations`);
    await root.press('Create organization');
    await root.submit('Create', { Name: 'Pied Piper', 'Email of its admin': freshAddress() });
    await root.sees('You have created Pied Piper');

    await root.page.goBack({ waitUntil: 'commit' });
    await root.row('Pied Piper').waitFor();
    expect(root.path).toBe('/admin/organizations');
    expect(await root.page.locator('dialog').count()).toBe(0);
  });

  it('has a name that turns no label, and that can be typed, where it was stored before the rule for names', async () => {
    await stage.app.database.rows('INSERT INTO organizations (id, name) VALUES ($1, $2)', [
      OLD_ORG,
      'Sirius\u202e Cybernetics',
    ]);
    const root = await systemAdmin(stage);
    await root.open(`${CONSOLE}/organization?id=${OLD_ORG}`);
    await root.press('Delete Sirius Cybernetics');
    await root.submit('Delete it for good', {
      'Type Sirius Cybernetics to confirm': 'Sirius Cybernetics',
    });
    await root.sees('Sirius Cybernetics is deleted.');
  });

  it('gives a member another role, and lets one go, who keeps the account', async () => {
    const { admin, member, readonly } = await foundOrg(stage.app);
    const ada = await visitorOf(admin.email);
    await ada.open(CONSOLE);
    await ada.press(`Change role of ${member.email}`);
    await ada.choose('Role', 'Admin');
    await ada.press('Save');
    await ada.sees(`${member.email} is now an admin.`);
    expect((await member.get('/users/me')).body.user.role).toBe('org_admin');

    await ada.press(`Remove ${readonly.email}`);
    await ada.sees('2 members are left in it.');
    await ada.press('Remove');
    await ada.sees(`${readonly.email} is no longer a member.`);
    await ada.sees('2 members');
    expect((await readonly.get('/users/me')).body.user.org_id).toBe(null);
  });

  it('suspends a member, who then cannot enter it, and lets them in again', async () => {
    const { admin, member } = await foundOrg(stage.app);
    const [ada, grace] = [await visitorOf(admin.email), await visitorOf(member.email)];
    await ada.open(CONSOLE);
    await ada.press(`Suspend ${member.email}?`);
    await ada.sees('They stay a member.');
    await ada.press('Suspend');
    await ada.sees(`${member.email} is suspended.`);
    await ada.sees('Suspended', ada.row(member.email));
    expect((await member.get('/users/me')).body.organizations).toMatchObject([{ suspended: true }]);

    await grace.open('/account');
    await grace.sees('Suspended', grace.find('main').getByRole('listitem'));
    const root = await systemAdmin(stage);
    await root.open(`${CONSOLE}/user?id=${member.id}`);
    await root.follow('Analytical');
    await root.sees('Suspended', root.row(member.email));

    await ada.press(`Resume the membership of ${member.email}?`);
    await ada.press('Resume');
    await ada.sees(`${member.email} is no longer suspended.`);
    expect(await ada.row(member.email).getByText('Suspended').count()).toBe(0);
    expect((await member.get('/users/me')).body.user.org_id).not.toBe(null);
  });

  it('is renamed by its admin, and deleted by a system admin who types its name', async () => {
    const { id, admin } = await foundOrg(stage.app, 'Vandelay');
    await admin.post(`/orgs/${id}/invitations`, { email: freshAddress(), role: 'member' });
    const ada = await visitorOf(admin.email);
    await ada.open(CONSOLE);
    await ada.press('Rename');
    await ada.submit('Save', { Name: 'Vandelay Industries' });
    await ada.sees('Vandelay is now called Vandelay Industries.');
    expect(await ada.find('button', 'Delete', { isPart: true }).count()).toBe(0);

    const root = await systemAdmin(stage);
    await root.open(`${CONSOLE}/organization?id=${id}`);
    await root.press('Delete Vandelay Industries');
    await root.sees('1 pending invitation stops working.');
    await root.submit('Delete it for good', { 'Type Vandelay Industries to confirm': 'Vandelay' });
    await root.sees('That is not its name. Nothing was deleted.');
    expect((await admin.get('/users/me')).body.user.org_id).toBe(id);
    await root.submit('Delete it for good', { 'Type Vandelay Industries to confirm': 'Vandelay Industries' });
    await root.sees('Vandelay Industries is deleted.');
    expect(root.path).toBe('/admin/organizations');
    expect((await admin.get('/users/me')).body.user.org_id).toBe(null);
  });

  it('is deleted by a system admin who types one blank where its name has two', async () => {
    const { id } = await foundOrg(stage.app, 'Kramerica  Industries');
    const root = await systemAdmin(stage);
    await root.open(`${CONSOLE}/organization?id=${id}`);
    await root.press('Delete Kramerica Industries');
    await root.submit('Delete it for good', {
      'Type Kramerica Industries to confirm': 'Kramerica Industries',
    });

    await root.arrivesAt('/admin/organizations');
  });

  it('lets its admin try again to read what a dialog says, with no form within its form', async () => {
    const { admin } = await foundOrg(stage.app, 'Vandelay Imports');
    const ada = await visitorOf(admin.email);
    // As after a login with a second factor, without which the page does not offer it.
    await stage.app.database.rows(
      'UPDATE sessions SET aal = 2 WHERE user_id = (SELECT id FROM users WHERE email = $1)',
      [admin.email],
    );
    ada.expectRefusal('404 /orgs/{id}/members');
    await ada.open(CONSOLE);
    await ada.sees(`${admin.email} (you)`);
    await ada.page.route('**/members?*', (route) => route.fulfill({ status: 404, body: '' }), { times: 1 });
    await ada.press('Require it');
    await ada.sees('The service cannot be reached.');
    expect(await ada.page.locator('form form').count()).toBe(0);
    await ada.press('Try again');

    await ada.sees('before they can go on');
    await ada.page.locator('dialog h2:focus').waitFor();
  });

  it('keeps the new name in its field where the service did not take it', async () => {
    const { admin } = await foundOrg(stage.app, 'Pendant Publishing');
    const ada = await visitorOf(admin.email);
    ada.expectRefusal('404 /orgs/{id}');
    await ada.open(CONSOLE);
    await ada.press('Rename');
    await ada.page.route('**/orgs/*', (route) => route.fulfill({ status: 404, body: '' }), { times: 1 });
    await ada.submit('Save', { Name: 'Pendant' });
    await ada.sees('The service cannot be reached.');
    await ada.press('Save');

    await ada.sees('Pendant Publishing is now called Pendant.');
  });
});

describe('an admin of one organization', () => {
  it('sees nothing of another one on any screen, whatever address they type', async () => {
    const [own, other] = [await foundOrg(stage.app, 'Analytical'), await foundOrg(stage.app, 'Globex')];
    const invited = [freshAddress(), freshAddress()];
    for (const email of invited)
      await other.admin.post(`/orgs/${other.id}/invitations`, { email, role: 'member' });
    const { customer } = await subscribe({ app: stage.app, stripe, stop: stage.stop }, other.admin);
    const emails = [other.admin, other.member, other.readonly].map(({ email }) => email);
    const secrets = ['Globex', ...invited, ...emails, String(customer)];
    const ada = await visitorOf(own.admin.email);
    ada.expectRefusal(
      '404 /orgs/{id}',
      '404 /audit-events',
      '403 /system',
      '403 /mails',
      '403 /mails/states',
    );
    ada.expectRefusal(...refusalsOfUser(403));
    const tabs = [ada, await ada.inNewTab(), await ada.inNewTab()];
    const answers = tabs.map(bodiesOf);

    const addresses = ['', ...addressesOf(other, own), ...(await furtherPagesOf(other))];
    const look = async (tab: Visitor, address: string) => {
      await tab.page.goto(`${CONSOLE}${address}`, { waitUntil: 'networkidle' });
      const shown = await tab.text();
      expect([address, secrets.filter((secret) => shown.includes(secret))]).toEqual([address, []]);
    };
    await Promise.all(
      tabs.map(async (tab, first) => {
        for (let n = first; n < addresses.length; n += tabs.length) await look(tab, addresses[n] ?? '');
      }),
    );

    const received = (await Promise.all(answers.flat())).join();
    expect(secrets.filter((secret) => received.includes(secret))).toEqual([]);
    // What is their own they do see, so that this test would notice what is not.
    expect(received).toContain(own.member.email);
  });
});

describe('a user who administers nothing', () => {
  it('reads so on every screen, with the way to their account', async () => {
    const { member, id } = await foundOrg(stage.app);
    const charles = await visitorOf(member.email);
    charles.expectRefusal('403 /system');
    for (const screen of ['', `/organization?id=${id}`, '/organizations', '/activity', '/users', '/system']) {
      await charles.open(CONSOLE + screen);
      await charles.sees('There is nothing for you to administer.');
    }
    await charles.find('main').locator(charles.find('link', 'Your account')).click();
    await charles.arrivesAt('/ui/account');
  });

  it('logs in first, and comes back to the screen they asked for', async () => {
    const { admin } = await foundOrg(stage.app, 'Soylent');
    const ada = await stage.visitor();
    await ada.open(`${CONSOLE}/organization?role=member`);
    await ada.submit('Log in', { Email: admin.email, Password: PASSWORD });
    await ada.sees('Soylent');
    expect(ada.path).toBe('/admin/organization?role=member');
  });
});

/** What the service answers to the pages of a visitor, from now on. */
function bodiesOf({ page }: Visitor): Promise<string>[] {
  const bodies: Promise<string>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'fetch') bodies.push(response.text().catch(() => ''));
  });
  return bodies;
}

async function visitorOf(email: string): Promise<Visitor> {
  const visitor = await stage.visitor();
  await visitor.logIn(email);
  return visitor;
}

/** What has the focus, by its words. */
function focused(visitor: Visitor): Promise<string> {
  return visitor.text(visitor.page.locator(':focus'));
}

/** How thick the letters of the open dialog and of its buttons are, how wide those, and how its parts stand. */
function looksOfDialog({ page }: Visitor): Promise<unknown> {
  return page.evaluate(`(() => {
    const dialog = document.querySelector('dialog[open]');
    const look = (element, ...names) => names.map((name) => getComputedStyle(element)[name]);
    return [
      look(dialog, 'fontWeight', 'textAlign'),
      look(dialog.querySelector('form'), 'display'),
      ...[...dialog.querySelectorAll('.buttons > *')].map((button) => look(button, 'fontWeight', 'paddingInline')),
    ];
  })()`);
}
