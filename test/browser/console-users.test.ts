import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ACCOUNTS,
  activeSessions,
  freshAddress,
  loggedIn,
  loggedInAs,
  PASSWORD,
  verified,
} from '../support/accounts.js';
import { appOwner } from '../support/authenticator-app.js';
import { linkIn } from '../support/mails.js';
import { foundOrg, place, signUpOrg } from '../support/orgs.js';
import { until } from '../support/until.js';
import { CONSOLE, refusalsOfUser, roleChangedYesterday, systemAdmin } from './console.js';
import { Stage } from './stage.js';
import { age } from './virtual-authenticator.js';
import type { Visitor } from './visitor.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev();
});
afterAll(() => stage.stop());

describe('the users of the console', () => {
  it('are found by address, role and state, at an address that a colleague can be sent', async () => {
    const root = await systemAdmin(stage);
    const email = await verified(stage.app);
    await verified(stage.app);

    await root.open(`${CONSOLE}/users`);
    await root.submit('Filter', { 'Name, email or ID': email });
    await root.page.waitForURL(/search=/);
    await root.sees(email);

    await until(async () => (await root.find('row').count()) === 2);
    expect(new URL(root.page.url()).search).toBe(`?search=${encodeURIComponent(email)}`);
    await root.choose('State', 'Disabled');
    await root.press('Filter');
    await root.sees('Nothing matches.');
    await root.follow('Clear the filter');
    await root.sees(email);
    expect(root.path).toBe('/admin/users');
  });

  it('are on pages of fifty, to go back and forth between', async () => {
    const root = await systemAdmin(stage);
    const prefix = freshAddress().split('@')[0];
    await stage.app.database.rows(
      `INSERT INTO users (id, email)
       SELECT ('0198c1f2-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1 || '-' || n || '@example.com'
         FROM generate_series(1, 51) AS n`,
      [prefix],
    );

    await root.open(`${CONSOLE}/users?search=${prefix}`);
    await root.sees(`${prefix}-51@example.com`);
    expect(await root.find('row').count()).toBe(51);
    await root.follow('Older');
    await root.sees(`${prefix}-1@example.com`);
    expect(await root.find('row').count()).toBe(2);
    await root.follow('Newest');
    await root.sees(`${prefix}-51@example.com`);
  });
});

describe('one user in the console', () => {
  it('is made by hand, named, and gets the right address, by a system admin without a mouse', async () => {
    const root = await systemAdmin(stage, { hasMouse: false });
    const [wrong, right] = [freshAddress(), freshAddress()];
    await root.open(`${CONSOLE}/users`);

    await root.press('Create user');
    await root.submit('Create', { Email: wrong });
    await root.sees(`${wrong} has an account now. A link to choose a password is on its way.`);
    await root.press('Change the name');
    await root.submit('Save', { Name: 'Ada Lovelace' });
    await root.sees('The new name is saved.');
    await root.press('Change the address');
    await root.submit('Correct it', { 'New email': right });
    await root.sees(`The address is now ${right}`);
    await root.sees('Events in the last 30 days');

    expect(await stage.app.database.rows('SELECT name FROM users WHERE email = $1', [right])).toEqual([
      { name: 'Ada Lovelace' },
    ]);
    expect(await stage.app.mailbox.token(right)).toBeTruthy();
  });

  it('is made in an organization that is named, and in none that nobody could mean', async () => {
    const root = await systemAdmin(stage);
    const [email, name] = [freshAddress(), `Initech ${randomUUID()}`];
    const orgId = randomUUID();
    await stage.app.database.rows('INSERT INTO organizations (id, name) VALUES ($1, $2), ($3, $4)', [
      ...[orgId, name, randomUUID(), `${name} of Linz`],
    ]);
    await root.open(`${CONSOLE}/users`);

    await root.press('Create user');
    await root.submit('Create', { Email: email, Organization: 'of nobody' });
    await root.sees('We cannot tell which organization “of nobody” is.');
    await root.submit('Create', { Organization: name.toUpperCase() });
    await root.sees(`${email} has an account`);

    expect(await stage.app.database.value(`SELECT org_id FROM ${ACCOUNTS} WHERE email = $1`, [email])).toBe(
      orgId,
    );
  });

  it('has a history under the days of its reader, and figures of days in UTC', async () => {
    const root = await systemAdmin(stage, undefined, 'Pacific/Kiritimati');
    await roleChangedYesterday(stage, root, root);
    const [at] = await stage.app.database.rows(
      `SELECT to_char(created_at AT TIME ZONE 'Pacific/Kiritimati', 'FMMonth FMDD') AS there
         FROM audit_events WHERE type = 'role.changed' AND user_id = $1`,
      [root.id],
    );
    await root.open(`${CONSOLE}/user?id=${root.id}`);

    await root.sees('Events in the last 30 days');
    const section = root.find('table', at.there, { isPart: true });
    expect(await root.text(section)).toContain('Role changed');
    await root.sees('today in UTC');
  });

  it('is logged out of one browser, then of all, by a system admin without a mouse', async () => {
    const root = await systemAdmin(stage, { hasMouse: false });
    const user = await loggedInAs(stage.app, 'member');
    await Promise.all([loggedIn(stage.app, user.email), loggedIn(stage.app, user.email)]);
    await stage.app.database.rows(
      `UPDATE sessions SET user_agent = 'Firefox/150.0 (Linux)', ip = '192.0.2.7'
        WHERE id = (SELECT id FROM sessions WHERE user_id = $1 LIMIT 1)`,
      [user.id],
    );
    await root.open(`${CONSOLE}/user?id=${user.id}`);
    await root.sees(user.email);

    await root.press('End the session of Firefox on Linux at 192.0.2.7');
    await root.press('End it');
    await root.sees('The session of Firefox on Linux at 192.0.2.7 has ended.');
    expect(await activeSessions(stage.app, user)).toBe(2);

    await root.press('End all sessions');
    await root.sees('2 sessions end at once');
    await root.press('End them');
    await root.sees(`2 sessions of ${user.email} have ended.`);
    await root.sees('The user is not logged in anywhere.');
    expect(await activeSessions(stage.app, user)).toBe(0);
    expect((await user.get('/users/me')).status).toBe(401);
  });

  it('is disabled, which logs them out, and enabled again', async () => {
    const root = await systemAdmin(stage);
    const user = await loggedInAs(stage.app, 'member');
    await root.open(`${CONSOLE}/user?id=${user.id}`);

    await root.press('Disable the account');
    await root.sees('1 session ends at once');
    await root.press('Disable it');
    await root.sees(`${user.email} is disabled, and 1 session has ended.`);
    expect(await standing(user)).toEqual({ role: 'member', is_disabled: true });
    expect(
      (await stage.app.browser().post('/auth/login', { email: user.email, password: PASSWORD })).status,
    ).toBe(403);

    await root.press('Enable the account');
    await root.press('Enable it');
    await root.sees(`${user.email} is enabled, and can log in again.`);
    expect(await standing(user)).toEqual({ role: 'member', is_disabled: false });
  });

  it('gets another role after a proof of who the admin is, which is asked for once', async () => {
    const root = await systemAdmin(stage);
    root.expectRefusal('403 /users/{id}');
    const user = await loggedInAs(stage.app, 'member');
    await root.open(`${CONSOLE}/user?id=${user.id}`);
    await root.sees(user.email);
    await age(stage, root.email);

    await root.press('Change the role');
    await root.choose('Role', 'Read-only');
    await root.press('Save');
    await root.sees('Confirm that it is you');
    await root.submit('Confirm', { 'Your password': PASSWORD });
    await root.sees(`${user.email} is now read-only.`);
    expect(await standing(user)).toEqual({ role: 'readonly', is_disabled: false });
  });

  it('loses their second factors, and is told by mail', async () => {
    const root = await systemAdmin(stage);
    const { id, email } = await appOwner(stage.app);
    await root.open(`${CONSOLE}/user?id=${id}`);
    await root.sees('Set up');

    await root.press('Reset the second factors');
    await root.sees('First make sure, by another way than email, that it is the owner who asks.');
    await root.press('Reset them');
    await root.sees(`${email} no longer has a second factor, and is logged out everywhere.`);

    expect(
      await stage.app.database.value('SELECT count(*)::int FROM totp_factors WHERE user_id = $1', [id]),
    ).toBe(0);
    expect((await stage.app.mailbox.last(email)).subject).toMatch(/second factor/i);
  });

  it('sets a new password with the link that a system admin has mailed them', async () => {
    const root = await systemAdmin(stage);
    const user = await loggedInAs(stage.app, 'member');
    await root.open(`${CONSOLE}/user?id=${user.id}`);
    await root.press('Email a link for a new password');
    await root.press('Send the link');
    await root.sees(`A link for a new password is on its way to ${user.email}.`);

    const ada = await stage.visitor();
    await ada.open(linkIn(await stage.app.mailbox.last(user.email)));
    await ada.sees('Set a new password');

    await root.follow(`Emails to ${user.email}`);
    await root.sees('Sent', root.row(user.email));
  });

  it('is deleted once their address is typed, with the organization that is left empty', async () => {
    const root = await systemAdmin(stage);
    const user = await loggedInAs(stage.app, 'member');
    const orgId = randomUUID();
    await stage.app.database.rows("INSERT INTO organizations (id, name) VALUES ($1, 'Initech')", [orgId]);
    await place(stage.app.database, user.id, orgId);
    await root.open(`${CONSOLE}/user?id=${user.id}`);

    await root.press(`Delete the account ${user.email}`);
    await root.sees('Initech has no other members, and is deleted too.');
    await root.submit('Delete it for good', { [`Type ${user.email} to confirm`]: freshAddress() });
    await root.sees('That is not the address. Nothing was deleted.');
    expect(await standing(user)).toEqual({ role: 'member', is_disabled: false });

    await root.submit('Delete it for good', { [`Type ${user.email} to confirm`]: user.email });
    await root.sees(`The account ${user.email} is deleted.`);
    expect(root.path).toBe('/admin/users');
    expect(await standing(user)).toBeUndefined();
    expect(await stage.app.database.rows('SELECT FROM organizations WHERE id = $1', [orgId])).toEqual([]);
  });

  it('is not there for an id of nobody, for one that is none, and to an admin of an organization', async () => {
    const root = await systemAdmin(stage);
    root.expectRefusal(...refusalsOfUser(400), ...refusalsOfUser(404));
    for (const id of [randomUUID(), 'none', '..', '']) {
      await root.open(`${CONSOLE}/user?id=${id}`);
      await root.sees('There is no such user.');
    }

    const { admin } = await foundOrg(stage.app);
    const ada = await at(admin.email);
    ada.expectRefusal(...refusalsOfUser(403));
    await ada.open(`${CONSOLE}/user?id=${root.id}`);
    await ada.sees('This is for system admins.');
    expect(await ada.text()).not.toContain(root.email);
  });

  it('offers nothing that an admin may not do to themselves', async () => {
    const root = await systemAdmin(stage);
    await root.open(`${CONSOLE}/user?id=${root.id}`);
    await root.sees('This is you.');
    await root.sees('This one');

    const buttons = await root.texts(root.find('main').locator(root.find('button')));
    expect(buttons.filter((words) => /disable|change|reset|mail|delete|end/i.test(words))).toEqual([]);
  });
});

describe('the activity in the console', () => {
  it('shows who did what yesterday, found by person and day, and copies an event', async () => {
    const root = await systemAdmin(stage);
    const user = await loggedInAs(stage.app, 'member');
    const day = await roleChangedYesterday(stage, root, user);
    await root.open(`${CONSOLE}/activity`);
    await root.choose('What', 'Role changed');
    await root.submit('Filter', { Person: user.email, From: day, Until: day });
    await root.page.waitForURL(/person=/);
    await root.sees('Role changed from Member to Read-only');

    await until(async () => (await root.find('row').count()) === 2);
    expect(await root.text(root.find('row').last())).toContain(root.email);
    await root.unfold('Role changed');
    await root.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await root.press('Copy the event');
    await root.sees('The event is copied.');
    expect(JSON.parse(await root.page.evaluate('navigator.clipboard.readText()'))).toMatchObject({
      type: 'role.changed',
      actor_id: root.id,
      details: { from: 'member', to: 'readonly' },
    });
  });

  it('finds a person by the address as they write it, without those whose address is longer', async () => {
    const root = await systemAdmin(stage);
    const [local] = freshAddress().split('@');
    const email = await verified(stage.app, { email: `${local}@xn--bcher-kva.co` });
    const other = await verified(stage.app, { email: `${local}@xn--bcher-kva.com` });
    for (const each of [email, other]) await loggedIn(stage.app, each);
    await root.open(`${CONSOLE}/activity`);
    await root.submit('Filter', { Person: `${local?.toUpperCase()}@B\u00fccher.co ` });
    await root.page.waitForURL(/person=/);

    await root.row(email).first().waitFor();
    expect(await root.text()).not.toContain(other);
    await root.open(`${CONSOLE}/activity?person=${encodeURIComponent(email.slice(0, -1))}`);
    await root.row(other).first().waitFor();
  });

  it('shows an admin of an organization what was done in it, and nothing of another by any address', async () => {
    const [own, other] = [await signUpOrg(stage.app), await signUpOrg(stage.app, 'Initech')];
    const ada = await at(own.admin.email);
    await ada.open(`${CONSOLE}/activity`);
    await ada.row('Joined the organization').first().waitFor();
    await ada.sees(own.member.email);
    expect(await ada.text()).not.toContain(other.member.email);

    for (const query of [`person=${other.member.id}`, `person=${other.member.email}`]) {
      await ada.open(`${CONSOLE}/activity?${query}`);
      await ada.sees('Nothing matches.');
    }
    await ada.open(`${CONSOLE}/activity?org=${other.id}`);
    await ada.row('Joined the organization').first().waitFor();
    expect(await ada.text()).not.toContain(other.member.email);
    expect(await ada.text()).not.toContain('Initech');
  });
});

/** A user who has logged in. */
async function at(email: string): Promise<Visitor> {
  const visitor = await stage.visitor();
  await visitor.logIn(email);
  return visitor;
}

async function standing({ id }: { id: string }) {
  const sql = `SELECT role, disabled_at IS NOT NULL AS is_disabled FROM ${ACCOUNTS} WHERE id = $1`;
  return (await stage.app.database.rows(sql, [id]))[0];
}
