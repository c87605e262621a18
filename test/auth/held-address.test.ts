import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AdminService } from '../../src/auth/account/admin.service.js';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { emptyOrg, invitationFor } from '../support/crowd.js';
import {
  callbackAs,
  failure,
  type IdentityProvider,
  startWithProvider,
} from '../support/identity-provider.js';
import { Held } from '../support/lock-step.js';
import { waitingSignup } from '../support/signups.js';
import type { TestApp } from '../support/test-app.js';

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider());
});
afterAll(() => stop());

const REFUSED = { status: 400, body: { code: 'InvalidToken' } };

/** Asks for another address, as a user who is logged in does. */
const change = (browser: Browser, new_email: string) =>
  browser.post('/users/me/email', { new_email, current_password: PASSWORD });
const confirm = (browser: Browser, token: string) => browser.post('/users/me/email/confirm', { token });
const account = (email: string) => app.database.rows('SELECT id FROM users WHERE email = $1', [email]);
const lastSubject = async (email: string) => (await app.mailbox.last(email)).subject;

/** Makes an account of an address, and moves it away from there; returns its browser. */
async function movedFrom(email: string): Promise<Browser> {
  const browser = await loggedIn(app, await verified(app, { email }));
  const elsewhere = freshAddress();
  await change(browser, elsewhere);
  expect((await confirm(browser, await app.mailbox.token(elsewhere))).status).toBe(200);
  return browser;
}

const threeDaysPass = (email: string) =>
  app.database.rows(
    `UPDATE email_changes SET expires_at = expires_at - interval '72 hours' WHERE old_email = $1`,
    [email],
  );

describe('an address that an account was moved away from', () => {
  it('has a mail for who signs up with it, and the answer of an address with an account', async () => {
    const email = freshAddress();
    await movedFrom(email);

    const held = await app.browser().post('/auth/signup', { email, password: PASSWORD });
    const taken = await app
      .browser()
      .post('/auth/signup', { email: await verified(app), password: PASSWORD });

    expect([held.status, held.cookies.length]).toEqual([taken.status, taken.cookies.length]);
    expect(await lastSubject(email)).toBe('This address cannot be used yet');
  });

  it('goes to no signup that was mailed its link before, until three days have passed', async () => {
    const { browser, email, token } = await waitingSignup(app);
    await movedFrom(email);

    expect(await browser.post('/auth/verify-email', { token })).toMatchObject(REFUSED);
    await threeDaysPass(email);
    expect((await browser.post('/auth/verify-email', { token })).status).toBe(200);
  });

  it('goes to no invitation, whose preview says that there is an account', async () => {
    const email = freshAddress();
    await movedFrom(email);
    const token = await invitationFor(app.database, email, await emptyOrg(app.database));

    expect((await app.browser().post('/invitations/preview', { token })).body.account_exists).toBe(true);
    const accepted = await app.browser().post('/invitations/accept', { token, password: PASSWORD });
    expect(accepted).toMatchObject({ status: 401, body: { code: 'Unauthenticated' } });
    expect(await account(email)).toEqual([]);
  });

  it('goes to no other account, also by a link that was mailed before', async () => {
    const [email, stranger] = [freshAddress(), await loggedIn(app)];
    await change(stranger, email);
    const token = await app.mailbox.token(email);
    await movedFrom(email);
    const second = await loggedIn(app);

    expect((await change(second, email)).status).toBe(202);
    expect(await lastSubject(email)).toBe('This address cannot be used yet');
    expect(await confirm(stranger, token)).toMatchObject(REFUSED);
    expect(await account(email)).toEqual([]);
  });

  it('goes back to the account itself', async () => {
    const email = freshAddress();
    const browser = await movedFrom(email);

    expect((await change(browser, email)).status).toBe(202);
    expect((await confirm(browser, await app.mailbox.token(email))).body.user.email).toBe(email);
  });

  it('goes to no new account of a provider whose login waits while the account is being moved', async () => {
    const email = freshAddress();
    await verified(app, { email });
    const browser = app.browser();
    const callback = await callbackAs(provider, browser, { sub: email, email, email_verified: true });
    const moving = await Held.by(
      app.database,
      `WITH moved AS (UPDATE users SET email = $2 WHERE email = $1 RETURNING id)
       INSERT INTO email_changes (id, user_id, old_email, expires_at)
       SELECT gen_random_uuid(), id, $1, now() + interval '72 hours' FROM moved`,
      [email, freshAddress()],
    );
    const login = browser.get(callback);
    await moving.untilWaiting(1);
    await moving.release();

    expect(await login).toMatchObject(failure('account_conflict'));
    expect(await account(email)).toEqual([]);
  });

  it('goes to no admin whom the command line makes', async () => {
    const [email, admins] = [freshAddress(), app.nest.get(AdminService)];
    await movedFrom(email);

    await expect(admins.appoint(email, { isMailed: false })).rejects.toThrow(/can be brought back/);
    expect(await account(email)).toEqual([]);
    await threeDaysPass(email);
    expect((await admins.appoint(email, { isMailed: false })).wasCreated).toBe(true);
  });
});
