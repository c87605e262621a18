import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ACCOUNTS,
  activeSessions,
  freshAddress,
  loggedIn,
  loggedInAs,
  PASSWORD,
  signedUp,
} from '../support/accounts.js';
import { detailsOf, eventsAfter } from '../support/audit.js';
import type { Browser } from '../support/browser.js';
import { asMember, foundOrg, invite, type Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let b2b: TestApp;
let admin: Member;
beforeAll(async () => {
  app = await TestApp.start();
  b2b = await TestApp.start({ SVC_APP_MODE: 'b2b' });
  admin = await loggedInAs(app, 'sys_admin');
  await admin.patch('/users/me', { name: 'Grace Hopper' });
});
afterAll(async () => {
  await app.close();
  await b2b.close();
});

const account = async (email: string) =>
  (await app.database.rows(`SELECT * FROM ${ACCOUNTS} WHERE email = $1`, [email]))[0];
const make = (body: object, browser: Browser = admin) => browser.post('/users', body);
const readdress = ({ id }: { id: string }, email: string, browser: Browser = admin) =>
  browser.post(`/users/${id}/email`, { email });
const choosePassword = (token: string) =>
  app.browser().post('/password/reset', { token, new_password: PASSWORD });
const login = (email: string) => app.browser().post('/auth/login', { email, password: PASSWORD });
const subjects = async (email: string) => (await app.mailbox.to(email)).map(({ subject }) => subject);

/** Lets the proof that a login gives get too old. */
const proofAges = ({ id }: Member) =>
  app.database.rows(
    `UPDATE sessions SET authenticated_at = now() - interval '11 minutes' WHERE user_id = $1`,
    [id],
  );

/** An account that an admin made for an address, whose link was not used yet. */
async function madeByHand(email = freshAddress()): Promise<Member> {
  const { body } = await make({ email });
  return { id: body.user.id, email } as Member;
}

describe('POST /users', () => {
  it('makes an account without a password, whose owner chooses one by the mailed link', async () => {
    const email = freshAddress();

    const answer = await make({ email: email.toUpperCase(), name: 'Ada' });

    expect(answer).toMatchObject({
      status: 201,
      body: {
        user: {
          email,
          name: 'Ada',
          role: 'member',
          org_id: null,
          has_password: false,
          email_verified: false,
        },
      },
    });
    const mail = await app.mailbox.last(email);
    expect(mail.subject).toBe('You have an account at Latchkey');
    expect(mail.text).toContain('Grace Hopper created an account at Latchkey for you.');
    expect((await login(email)).status).toBe(401);

    expect((await choosePassword(await app.mailbox.token(email))).status).toBe(204);

    expect((await login(email)).body.user).toMatchObject({ email, email_verified: true });
  });

  it('mails a link that is good for seven days', async () => {
    const { id } = await madeByHand();

    expect(
      await app.database.value(
        `SELECT expires_at > now() + interval '6 days 23 hours' FROM one_time_tokens WHERE user_id = $1`,
        [id],
      ),
    ).toBe(true);
  });

  it('makes a member of an organization, tells its admins of a new one, and takes their invitation back', async () => {
    const [org, email] = [await foundOrg(app, 'Initech'), freshAddress()];
    const token = await invite(app, org.admin, org.id, email);

    const events = await eventsAfter(app, () => make({ email, role: 'org_admin', org_id: org.id }));

    expect(await account(email)).toMatchObject({ role: 'org_admin', org_id: org.id });
    expect(events.map(({ type }) => type)).toEqual(['account.created', 'member.joined']);
    expect((await app.mailbox.last(email)).text).toContain('in the organization “Initech”');
    expect(await subjects(org.admin.email)).toContain('There is a new administrator');
    expect((await app.browser().post('/invitations/preview', { token })).body.code).toBe('InvalidToken');
  });

  it('ends a signup with the address, whose password a stranger may have chosen', async () => {
    const email = freshAddress();
    await signedUp(app, { email });
    const token = await app.mailbox.token(email);

    await make({ email });

    expect((await app.browser().post('/auth/verify-email', { token })).body.code).toBe('InvalidToken');
  });

  it('refuses an address that has an account, and one that an account can be brought back to', async () => {
    const [user, other] = [await loggedIn(app), freshAddress()];
    expect(await make({ email: user.email })).toMatchObject({ status: 409, body: { code: 'AddressTaken' } });
    await user.post('/users/me/email', { new_email: other, current_password: PASSWORD });
    await user.post('/users/me/email/confirm', { token: await app.mailbox.token(other) });

    expect(await make({ email: user.email })).toMatchObject({ status: 409, body: { code: 'AddressHeld' } });
    expect(await account(user.email)).toBeUndefined();
  });

  it.each([
    ['an address that is none', { email: 'ada' }, 'email'],
    ['the role of a SYSTEM_ADMIN', { role: 'sys_admin' }, 'role'],
    ['the role of an ORG_ADMIN without an organization', { role: 'org_admin' }, 'role'],
    ['an organization that is not there', { org_id: randomUUID() }, 'org_id'],
    ['a name of two lines', { name: 'Ada\nLovelace' }, 'name'],
    ['a password', { password: PASSWORD }, 'password'],
  ])('refuses %s, and makes nothing', async (_, wrong, field) => {
    const email = freshAddress();

    expect(await make({ email, ...wrong })).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed', errors: [{ field }] },
    });
    expect(await account(email)).toBeUndefined();
    expect(await app.mailbox.to(email)).toEqual([]);
  });

  it('asks for an organization in B2B', async () => {
    const [systemAdmin, email] = [await loggedInAs(b2b, 'sys_admin'), freshAddress()];
    const { body } = await systemAdmin.post('/orgs', { name: 'Initech', admin_email: freshAddress() });

    expect(await make({ email }, systemAdmin)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'org_id', reasons: [{ code: 'needed_by_hand' }] }] },
    });
    expect(await make({ email, org_id: body.org.id }, systemAdmin)).toMatchObject({ status: 201 });
  });

  it('asks for a recent proof, and is for SYSTEM_ADMINs', async () => {
    const [former, org, email] = [await loggedInAs(app, 'sys_admin'), await foundOrg(app), freshAddress()];
    await proofAges(former);

    expect((await make({ email }, former)).body.code).toBe('StepUpRequired');
    expect((await make({ email, org_id: org.id }, org.admin)).body.code).toBe('InsufficientRole');
    expect(await account(email)).toBeUndefined();
  });
});

describe('POST /users/:id/email of an address that was never confirmed', () => {
  it('moves the account at once, mails a link there, and voids the former one', async () => {
    const [user, email] = [await madeByHand(), freshAddress()];
    const former = await app.mailbox.token(user.email);

    expect(await readdress(user, email)).toMatchObject({ status: 202 });

    expect(await account(email)).toMatchObject({ id: user.id, email_verified_at: null });
    expect((await app.mailbox.last(user.email)).text).not.toContain(email);
    expect(await subjects(user.email)).toContain('Your address was removed from an account');
    expect((await choosePassword(former)).body.code).toBe('InvalidToken');
    expect((await choosePassword(await app.mailbox.token(email))).status).toBe(204);
    expect((await login(email)).status).toBe(200);
    expect(await detailsOf(app, user.id, 'email.changed')).toHaveLength(1);
  });

  it('leaves the former address free for its owner', async () => {
    const user = await madeByHand();

    await readdress(user, freshAddress());

    expect((await make({ email: user.email })).status).toBe(201);
  });

  it('ends what a stranger had: the password and the sessions', async () => {
    const user = await asMember(await loggedIn(app));
    await app.database.rows('UPDATE users SET email_verified_at = NULL WHERE id = $1', [user.id]);
    const email = freshAddress();

    expect((await readdress(user, email)).status).toBe(202);

    expect(await activeSessions(app, user)).toBe(0);
    expect((await account(email)).password_hash).toBeNull();
  });
});

describe('POST /users/:id/email of an address that was confirmed', () => {
  it('changes nothing until its user opens the link in a session of the account', async () => {
    const [user, email] = [await asMember(await loggedIn(app)), freshAddress()];

    expect((await readdress(user, email)).status).toBe(202);

    expect((await account(user.email)).id).toBe(user.id);
    const token = await app.mailbox.token(email);
    const confirm = (browser: Browser) => browser.post('/users/me/email/confirm', { token });
    expect((await confirm(app.browser())).status).toBe(401);
    expect((await confirm(admin)).body.code).toBe('WrongAccount');
    expect((await confirm(user)).body.user).toMatchObject({ email, email_verified: true });
    expect(await activeSessions(app, user)).toBe(1);
  });

  it('warns the present address, names the new one there, and lets its owner stop the change', async () => {
    const [user, email] = [await asMember(await loggedIn(app)), freshAddress()];
    await readdress(user, email);
    const token = await app.mailbox.token(email);

    const warning = await app.mailbox.last(user.email);
    expect(warning.subject).toBe('An administrator wants to change your email address');
    expect(warning.text.replaceAll('\u200b', '')).toContain(email);
    await app.browser().post('/auth/secure-account', { token: await app.mailbox.token(user.email) });

    expect((await account(user.email)).id).toBe(user.id);
    expect((await user.post('/users/me/email/confirm', { token })).status).toBe(401);
    expect(
      await app.database.value(
        `SELECT count(*)::int FROM one_time_tokens WHERE user_id = $1 AND purpose = 'change-email' AND consumed_at IS NULL`,
        [user.id],
      ),
    ).toBe(0);
  });

  it('mails once, however often it is asked for within a minute', async () => {
    const [user, email] = [await asMember(await loggedIn(app)), freshAddress()];

    await readdress(user, email);
    await readdress(user, email);

    expect(await app.mailbox.to(email)).toHaveLength(1);
  });

  it('refuses what cannot be done, and changes nothing', async () => {
    const [user, other] = [await asMember(await loggedIn(app)), await loggedIn(app)];
    const before = await account(user.email);

    expect(await readdress(user, other.email)).toMatchObject({ status: 409, body: { code: 'AddressTaken' } });
    expect(await readdress(user, user.email)).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed' },
    });
    const [moved, held] = [freshAddress(), other.email];
    await other.post('/users/me/email', { new_email: moved, current_password: PASSWORD });
    await other.post('/users/me/email/confirm', { token: await app.mailbox.token(moved) });
    expect(await readdress(user, held)).toMatchObject({ status: 409, body: { code: 'AddressHeld' } });
    expect(await readdress({ id: randomUUID() }, freshAddress())).toMatchObject({ status: 404 });
    expect((await readdress(admin, freshAddress())).body.code).toBe('InsufficientRole');
    expect((await readdress(user, freshAddress(), user)).body.code).toBe('InsufficientRole');
    const former = await loggedInAs(app, 'sys_admin');
    await proofAges(former);
    expect((await readdress(user, freshAddress(), former)).body.code).toBe('StepUpRequired');
    expect(await account(user.email)).toEqual(before);
  });

  it('refuses a disabled account, whose links do not work', async () => {
    const [user, email] = [await asMember(await loggedIn(app)), freshAddress()];
    await admin.patch(`/users/${user.id}`, { disabled: true });

    expect(await readdress(user, email)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'email' }] },
    });
    expect(await app.mailbox.to(email)).toEqual([]);
  });
});

describe('PATCH /users/:id with a name', () => {
  it('changes the name and nothing else, and takes it away', async () => {
    const user = await asMember(await loggedIn(app));
    const admin = await loggedInAs(app, 'sys_admin');

    expect((await admin.patch(`/users/${user.id}`, { name: 'Ada Lovelace' })).body.user).toMatchObject({
      name: 'Ada Lovelace',
      role: 'member',
      disabled: false,
    });
    expect(await detailsOf(app, user.id, 'account.updated')).toHaveLength(1);
    expect((await admin.patch(`/users/${user.id}`, { name: null })).body.user.name).toBeNull();
    expect(await activeSessions(app, user)).toBe(1);
  });

  it('refuses a name that is none', async () => {
    const user = await asMember(await loggedIn(app));

    expect((await admin.patch(`/users/${user.id}`, { name: '' })).status).toBe(400);
    expect((await account(user.email)).name).toBeNull();
  });
});
