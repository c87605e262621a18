import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACCOUNTS, freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import type { IdentityProvider } from '../support/identity-provider.js';
import { callbackAs, loginThrough, startWithProvider } from '../support/identity-provider.js';
import { Held } from '../support/lock-step.js';
import { tokenIn } from '../support/mails.js';
import { foundOrg } from '../support/orgs.js';
import type { TestApp } from '../support/test-app.js';

const NEW_PASSWORD = 'a wholly different phrase';

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider());
});
afterAll(() => stop());

const subjects = async (email: string) => (await app.mailbox.to(email)).map(({ subject }) => subject);
const account = (email: string) => app.database.rows(`SELECT * FROM ${ACCOUNTS} WHERE email = $1`, [email]);
const confirm = (browser: Browser, token: string) => browser.post('/users/me/email/confirm', { token });

/** The token of the newest mail with a subject. */
async function tokenMailed(email: string, subject: string): Promise<string> {
  const mail = (await app.mailbox.to(email)).findLast((one) => one.subject === subject);
  return tokenIn(mail?.text ?? '');
}

async function resetPassword(email: string): Promise<number> {
  await app.browser().post('/password/forgot', { email });
  const token = await tokenMailed(email, 'Set a new password');
  return (await app.browser().post('/password/reset', { token, new_password: NEW_PASSWORD })).status;
}

/** An intruder with an account, a password and an identity at the provider, all under an address of their own. */
async function intruder(): Promise<Browser & { email: string; sub: string }> {
  const browser = await loggedIn(app);
  const sub = freshAddress();
  await loginThrough(provider, browser, { sub, email: browser.email, email_verified: true });
  return Object.assign(browser, { sub });
}

/** Who a browser is after it went through the provider. */
async function enterAs({ sub, email }: { sub: string; email: string }): Promise<Browser> {
  const browser = app.browser();
  await loginThrough(provider, browser, { sub, email, email_verified: true });
  return browser;
}

const me = async (browser: Browser) => (await browser.get('/users/me')).body.user;

/** An account that the intruder has moved to the victim's address, with the link that the victim has handed over. */
async function trapped(): Promise<{
  mallory: Awaited<ReturnType<typeof intruder>>;
  victim: string;
  id: string;
}> {
  const [mallory, victim] = [await intruder(), freshAddress()];
  await mallory.post('/users/me/email', { new_email: victim, current_password: PASSWORD });
  expect((await confirm(mallory, await app.mailbox.token(victim))).status).toBe(200);
  return { mallory, victim, id: (await me(mallory)).id };
}

describe('a change of address to the mailbox of another person', () => {
  it('moves nothing when the owner of the mailbox clicks, with or without an account of their own', async () => {
    const [mallory, victim] = [await intruder(), await loggedIn(app)];
    const [mailbox, ada] = [freshAddress(), await foundOrg(app)];
    for (const new_email of [mailbox, ada.member.email])
      await mallory.post('/users/me/email', { new_email, current_password: PASSWORD });
    const token = await app.mailbox.token(mailbox);
    const before = await app.database.rows(
      'SELECT id, email, org_id FROM users LEFT JOIN memberships m ON m.user_id = id ORDER BY id',
    );

    const clicks = [
      await app.browser().post('/auth/verify-email', { token }),
      await confirm(app.browser(), token),
      await confirm(victim, token),
      await confirm(ada.member, token),
    ];

    expect(clicks.map(({ body }) => body.code)).toEqual([
      'InvalidToken',
      'Unauthenticated',
      'WrongAccount',
      'WrongAccount',
    ]);
    expect(
      await app.database.rows(
        'SELECT id, email, org_id FROM users LEFT JOIN memberships m ON m.user_id = id ORDER BY id',
      ),
    ).toEqual(before);
    expect((await app.mailbox.last(mailbox)).text.replaceAll('\u200b', '')).toContain('u…@example.com');
  });
});

describe('the owner of a mailbox to which an intruder moved an account', () => {
  it('locks the intruder out by a reset: password, sessions, and the identity under another address', async () => {
    const { mallory, victim, id } = await trapped();

    expect(await resetPassword(victim)).toBe(204);

    expect((await mallory.get('/users/me')).status).toBe(401);
    expect((await me(await enterAs(mallory)))?.id).not.toBe(id);
    expect((await me(await loggedIn(app, victim, NEW_PASSWORD))).id).toBe(id);
    expect((await subjects(victim)).slice(-3)).toContain('A way to log in to your account was removed');
  });

  it('locks the intruder out by "this was not me", and gets a mail about the next login', async () => {
    const { mallory, victim, id } = await trapped();
    await enterAs(mallory);
    await app.database.rows(`UPDATE identities SET created_at = now() - interval '1 year'`);
    const token = await tokenMailed(victim, 'A new login to your account');

    expect((await app.browser().post('/auth/secure-account', { token })).status).toBe(204);

    expect((await me(await enterAs(mallory)))?.id).not.toBe(id);
    const before = (await subjects(victim)).filter((one) => one === 'A new login to your account').length;
    await enterAs({ sub: freshAddress(), email: victim });
    const after = (await subjects(victim)).filter((one) => one === 'A new login to your account').length;
    expect(after).toBe(before + 1);
  });

  it('keeps the intruder out of it when a login through the provider is under way during the reset', async () => {
    const { mallory, victim, id } = await trapped();
    await app.browser().post('/password/forgot', { email: victim });
    const token = await tokenMailed(victim, 'Set a new password');
    const entering = app.browser();
    const who = { sub: mallory.sub, email: mallory.email, email_verified: true };
    const callback = await callbackAs(provider, entering, who);

    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [id]);
    const reset = app.browser().post('/password/reset', { token, new_password: NEW_PASSWORD });
    await held.untilWaiting(1);
    const login = entering.get(callback);
    await held.untilWaiting(2);
    await held.release();

    expect([(await reset).status, (await login).status]).toEqual([204, 302]);
    expect((await me(entering))?.id).not.toBe(id);
  });

  it('keeps an identity that is known under the address itself', async () => {
    const email = await verified(app);
    const sub = freshAddress();
    const { id } = await me(await enterAs({ sub, email }));

    expect(await resetPassword(email)).toBe(204);

    expect((await me(await enterAs({ sub, email }))).id).toBe(id);
    expect(await subjects(email)).not.toContain('A way to log in to your account was removed');
  });

  it('gets a mail when the intruder takes the account back, keeps the mailbox, and cannot lose the account by a deletion before', async () => {
    const { mallory, victim, id } = await trapped();
    expect(await resetPassword(victim)).toBe(204);
    const ada = await loggedIn(app, victim, NEW_PASSWORD);
    const removal = await ada.send('DELETE', '/users/me', { current_password: NEW_PASSWORD });
    expect(removal.body.code).toBe('AddressChangedRecently');

    const takeBack = await tokenMailed(mallory.email, 'Your email address was changed');
    expect((await app.browser().post('/auth/secure-account', { token: takeBack })).status).toBe(204);

    expect(await account(victim)).toEqual([]);
    expect((await account(mallory.email))[0]?.id).toBe(id);
    expect((await subjects(victim)).at(-1)).toBe('Your email address was changed back');
    expect((await ada.get('/users/me')).status).toBe(401);
    const alarms = await app.mailbox.to(victim);
    for (const { text } of alarms.filter((mail) => mail.text.includes('/secure-account?')))
      expect((await app.browser().post('/auth/secure-account', { token: tokenIn(text) })).status).toBe(400);
    await verified(app, { email: victim });
    expect((await account(victim))[0]?.id).not.toBe(id);
  });
});
