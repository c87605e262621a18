import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mintToken } from '../../src/secrets/token.js';
import {
  ACCOUNTS,
  freshAddress,
  giveRole,
  loggedIn,
  loggedInAs,
  PASSWORD,
  verified,
} from '../support/accounts.js';
import { ageProof, appOwner } from '../support/authenticator-app.js';
import type { Answer, Browser } from '../support/browser.js';
import type { IdentityProvider } from '../support/identity-provider.js';
import { callbackAs, loginThrough, startWithProvider } from '../support/identity-provider.js';
import { Held } from '../support/lock-step.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { tokenIn } from '../support/mails.js';
import { asMember, foundOrg, invite, organize } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

const OWN_PASSWORD = 'a wholly different phrase';

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider());
});
afterAll(() => stop());

const accounts = (email: string) => app.database.rows(`SELECT * FROM ${ACCOUNTS} WHERE email = $1`, [email]);
const secure = (token: string) => app.browser().post('/auth/secure-account', { token });
const codeOf = ({ body }: Answer) => body?.code;

/** The token of the newest mail with a subject. */
async function tokenMailed(email: string, subject: string): Promise<string> {
  const mail = (await app.mailbox.to(email)).findLast((one) => one.subject === subject);
  return tokenIn(mail?.text ?? '');
}

/** Moves an account to an address, as a person who knows the password and reads the mail there. */
async function move(browser: Browser, email: string): Promise<void> {
  await browser.post('/users/me/email', { new_email: email, current_password: PASSWORD });
  const token = await tokenMailed(email, 'Confirm your new email address');
  expect((await browser.post('/users/me/email/confirm', { token })).status).toBe(200);
}

async function enterAs(sub: string, email: string): Promise<Browser> {
  const browser = app.browser();
  await loginThrough(provider, browser, { sub, email, email_verified: true });
  return browser;
}

describe('an intruder who knows the password', () => {
  it('keeps nothing of an account that was moved over several addresses once the owner takes it back', async () => {
    const intruder = await loggedIn(app);
    const { email: owner } = intruder;
    const [[account], sub] = [await accounts(owner), freshAddress()];
    const [first, second, third] = [freshAddress(), freshAddress(), freshAddress()];
    for (const email of [first, second, first, third]) await move(intruder, email);
    const other = await enterAs(sub, third);
    expect(codeOf(await intruder.send('DELETE', '/users/me', { current_password: PASSWORD }))).toBe(
      'AddressChangedRecently',
    );
    await intruder.post('/users/me/email', { new_email: second, current_password: PASSWORD });
    await app.browser().post('/password/forgot', { email: third });
    const root = await loggedInAs(app, 'sys_admin');
    for (const disabled of [true, false]) await root.patch(`/users/${account?.id}`, { disabled });
    const returned = await enterAs(sub, third);

    const token = await tokenMailed(owner, 'Your email address was changed');
    expect((await secure(token)).status).toBe(204);

    for (const browser of [intruder, other, returned])
      expect((await browser.get('/users/me')).status).toBe(401);
    for (const email of [first, second, third])
      for (const { text } of await app.mailbox.to(email)) {
        const link = tokenIn(text);
        if (link === '') continue;
        expect(codeOf(await secure(link))).toBe('InvalidToken');
        const reset = { token: link, new_password: OWN_PASSWORD };
        expect(codeOf(await app.browser().post('/password/reset', reset))).toBe('InvalidToken');
      }
    expect((await (await enterAs(sub, third)).get('/users/me')).body.user.id).not.toBe(account?.id);
    const login = await app.browser().post('/auth/login', { email: owner, password: PASSWORD });
    expect(codeOf(login)).toBe('InvalidCredentials');
    expect(await accounts(owner)).toMatchObject([{ id: account?.id, password_hash: null }]);
  });

  it('cannot void "this was not me" by moving the account at that moment', async () => {
    const intruder = await loggedIn(app);
    const [account] = await accounts(intruder.email);
    const away = freshAddress();
    await intruder.post('/users/me/email', { new_email: away, current_password: PASSWORD });
    const confirmation = await app.mailbox.token(away);
    const alarm = await tokenMailed(intruder.email, 'Your email address is about to change');
    expect(alarm).not.toBe('');

    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [account?.id]);
    const moving = intruder.post('/users/me/email/confirm', { token: confirmation });
    await held.untilWaiting(1);
    const securing = secure(alarm);
    await held.untilWaiting(2);
    await held.release();

    expect((await moving).status).toBe(200);
    expect((await securing).status).toBe(204);
    expect(await accounts(intruder.email)).toMatchObject([{ id: account?.id, password_hash: null }]);
    expect((await intruder.get('/users/me')).status).toBe(401);
  });
});

describe('an intruder in an account, with requests under way while the owner secures it', () => {
  /** The link in the mail about the intruder's login. */
  async function alarmOf({ email }: { email: string }): Promise<string> {
    await loggedIn(app, email);
    return tokenMailed(email, 'A new login to your account');
  }

  /** Has the owner secure the account, and the intruder send requests that wait until that is done. */
  async function secureBefore(held: Held, alarm: string, send: () => Promise<Answer>[]): Promise<Answer[]> {
    const securing = secure(alarm);
    await held.untilWaiting(1);
    const late = send();
    await held.untilWaiting(1 + late.length);
    await held.release();
    expect((await securing).status).toBe(204);
    return Promise.all(late);
  }

  it('cannot invite an accomplice, nor raise the role of one', async () => {
    const { id, admin, member } = await foundOrg(app);
    const [alarm, accomplice] = [await alarmOf(admin), freshAddress()];
    const org = 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE';

    const held = await Held.by(app.database, org, [id]);
    const late = await secureBefore(held, alarm, () => [
      admin.post(`/orgs/${id}/invitations`, { email: accomplice, role: 'org_admin' }),
      admin.patch(`/orgs/${id}/members/${member.id}`, { role: 'org_admin' }),
    ]);

    expect(late.map(codeOf)).toEqual(['Unauthenticated', 'Unauthenticated']);
    expect(await app.mailbox.to(accomplice)).toEqual([]);
    expect(await accounts(member.email)).toMatchObject([{ role: 'member' }]);
  });

  it('cannot invite a person to the organization of others', async () => {
    const [root, { id }] = [await loggedInAs(app, 'sys_admin'), await foundOrg(app)];
    const [alarm, accomplice] = [await alarmOf(root), freshAddress()];

    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [root.id]);
    const late = await secureBefore(held, alarm, () => [
      root.post(`/orgs/${id}/invitations`, { email: accomplice, role: 'org_admin' }),
    ]);

    expect(late.map(codeOf)).toEqual(['Unauthenticated']);
    expect(await app.mailbox.to(accomplice)).toEqual([]);
  });

  it('cannot move the account into an organization', async () => {
    const [{ id, admin }, intruder] = [await foundOrg(app), await asMember(await loggedIn(app))];
    const alarm = await alarmOf(intruder);
    const token = await invite(app, admin, id, intruder.email);

    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [intruder.id]);
    const late = await secureBefore(held, alarm, () => [intruder.post('/invitations/accept', { token })]);

    expect(late.map(codeOf)).toEqual(['Unauthenticated']);
    expect(await accounts(intruder.email)).toMatchObject([{ org_id: null }]);
  });

  it('cannot delete the account, which has no password to state', async () => {
    const [sub, email] = [freshAddress(), freshAddress()];
    const intruder = await asMember(Object.assign(await enterAs(sub, email), { email }));
    await enterAs(sub, email);
    const alarm = await tokenMailed(email, 'A new login to your account');

    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [intruder.id]);
    const late = await secureBefore(held, alarm, () => [intruder.send('DELETE', '/users/me', {})]);

    expect(late.map(codeOf)).toEqual(['Unauthenticated']);
    expect(await accounts(email)).toMatchObject([{ id: intruder.id }]);
  });

  it('cannot make a user a SYSTEM_ADMIN', async () => {
    await loggedInAs(app, 'sys_admin');
    const [root, accomplice] = [await loggedInAs(app, 'sys_admin'), await asMember(await loggedIn(app))];
    const alarm = await alarmOf(root);

    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [root.id]);
    const late = await secureBefore(held, alarm, () => [
      root.patch(`/users/${accomplice.id}`, { role: 'sys_admin' }),
    ]);

    expect(late.map(codeOf)).toEqual(['Unauthenticated']);
    expect(await accounts(accomplice.email)).toMatchObject([{ role: 'member' }]);
  });
});

describe("the thief of an ORG_ADMIN's session, who knows the password but has no second factor", () => {
  it('cannot appoint an accomplice, who would remove the second factor of the owner', async () => {
    const b2b = await TestApp.start({ SVC_APP_MODE: 'b2b' });
    const { browser: thief, id, email } = await appOwner(b2b, 'org_admin');
    const accomplice = await loggedInAs(b2b, 'member');
    await organize(b2b, Object.assign(thief, { id, email }), accomplice);
    const org = `/orgs/${(await thief.get('/users/me')).body.user.org_id}`;
    await ageProof(b2b, thief);

    const invited = await thief.post(`${org}/invitations`, { email: freshAddress(), role: 'org_admin' });
    const raised = await thief.patch(`${org}/members/${accomplice.id}`, { role: 'org_admin' });
    const removed = await accomplice.delete(`${org}/members/${id}/factors`);
    const login = await b2b.browser().post('/auth/login', { email, password: PASSWORD });

    expect([login.status, codeOf(removed)]).toEqual([202, 'InsufficientRole']);
    expect([invited, raised].map(codeOf)).toEqual(['StepUpRequired', 'StepUpRequired']);
    const lower = await thief.patch(`${org}/members/${accomplice.id}`, { role: 'readonly' });
    expect(lower.status).toBe(200);
    await b2b.close();
  });
});

describe('an address that is proven in four ways at once, eight times each', () => {
  it('becomes one account, which has the password of the one way that won', async () => {
    const { id: orgId, admin } = await foundOrg(app);
    const email = freshAddress();
    const invitation = await invite(app, admin, orgId, email);
    const signing = app.browser();
    await signing.post('/auth/signup', { email, password: PASSWORD });
    const signup = await app.mailbox.token(email);
    const mover = await asMember(await loggedIn(app));
    await mover.post('/users/me/email', { new_email: email, current_password: PASSWORD });
    const change = await app.mailbox.token(email);
    const who = { sub: freshAddress(), email, email_verified: true };
    const entering = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const browser = app.browser();
        return { browser, callback: await callbackAs(provider, browser, who) };
      }),
    );

    const answers = await Promise.all(
      entering.map(({ browser, callback }) =>
        Promise.all([
          signing.post('/auth/verify-email', { token: signup }),
          app.browser().post('/invitations/accept', { token: invitation, password: OWN_PASSWORD }),
          browser.get(callback),
          mover.post('/users/me/email/confirm', { token: change }),
        ]),
      ),
    );

    const [verifications, acceptances, logins, moves] = [0, 1, 2, 3].map((way) =>
      answers.map((each) => each[way]?.status),
    ) as [number[], number[], number[], number[]];
    const made = [...verifications, ...acceptances, ...moves].filter((status) => status < 300);
    expect(made.length).toBeLessThanOrEqual(1);
    expect(new Set(logins)).toEqual(new Set([302]));
    expect([...verifications, ...acceptances, ...moves].every((status) => status < 500)).toBe(true);
    const [account, ...others] = await accounts(email);
    expect(others).toEqual([]);
    for (const { browser } of entering)
      expect((await browser.get('/users/me')).body.user.id).toBe(account?.id);
    const winners = [
      verifications.includes(200),
      acceptances.includes(201),
      moves.includes(200),
      account?.password_hash === null,
    ];
    expect(winners.filter(Boolean)).toHaveLength(1);
    expect(await app.database.rows('SELECT 1 FROM signups WHERE email = $1', [email])).toEqual([]);
  });
});

describe('an organization asked for by a SYSTEM_ADMIN', () => {
  it('is not made when the role is taken away while the request is under way', async () => {
    const root = await loggedInAs(app, 'sys_admin');
    const admin = await asMember(await loggedIn(app));

    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [admin.id]);
    const creation = root.post('/orgs', { name: 'Mine', admin_email: admin.email });
    await held.untilWaiting(1);
    await giveRole(app.database, root.id, 'member');
    await held.release();

    expect(codeOf(await creation)).toBe('InsufficientRole');
    expect(await app.database.rows(`SELECT 1 FROM organizations WHERE name = 'Mine'`)).toEqual([]);
  });
});

describe('a signup completed in another browser', () => {
  it('is not ended by passwords that the service was too busy to compare', async () => {
    // Costly enough that the queue stays full for as long as a busy machine takes to refuse five requests.
    const busy = await TestApp.start({ SVC_BCRYPT_COST: '13', SVC_RATE_LIMITS: 'on' });
    const email = freshAddress();
    await busy.browser().post('/auth/signup', { email, password: PASSWORD });
    const token = await busy.mailbox.token(email);
    const verify = () => busy.browser().post('/auth/verify-email', { token, password: PASSWORD });

    const flood = Array.from({ length: 24 }, () =>
      busy.browser().post('/auth/login', { email: freshAddress(), password: PASSWORD }),
    );
    await Promise.any(flood.map(async (one) => expect((await one).status).toBe(503)));
    const tries = await Promise.all(Array.from({ length: 5 }, verify));
    expect(tries.map(({ status }) => status)).toEqual(Array(5).fill(503));
    await Promise.all(flood);

    expect((await verify()).status).toBe(200);
    await busy.close();
  });
});

describe('a stranger who guesses the password of an account by signing up with one guess after the other', () => {
  it('uses up an attempt with each guess, also with one that changes the signup while a login reads it', async () => {
    const limited = await TestApp.start({
      SVC_RATE_LIMITS: 'on',
      SVC_LIMIT_LOGIN_PER_ACCOUNT: '2/15m',
      SVC_LIMIT_MAIL_PER_ADDRESS: '100/1h',
    });
    const [email, stranger] = [await verified(limited), limited.browser()];
    const signup = (password: string) => stranger.post('/auth/signup', { email, password });
    const login = (password: string) => limited.browser().post('/auth/login', { email, password });
    await signup('the first guess');
    await limited.mailbox.to(email);

    const row = 'SELECT 1 FROM signups WHERE email = $1 FOR UPDATE';
    const held = await Held.by(limited.database, row, [email]);
    const change = signup('the second guess');
    await held.untilWaiting(1);
    const first = login('the first guess');
    await held.untilWaiting(2);
    await held.release();

    expect([(await change).status, (await first).status]).toEqual([202, 403]);
    expect(codeOf(await login('the second guess'))).toBe('EmailNotVerified');
    expect(codeOf(await login('the third guess'))).toBe('TooManyAttempts');
    await limited.close();
  });
});

describe('a browser in which a neighbouring host planted the cookie of a stranger', () => {
  let mailapi: MailapiStandIn;
  let prod: TestApp;
  beforeAll(async () => {
    mailapi = await MailapiStandIn.start();
    prod = await TestApp.start({ SVC_ENVIRONMENT: 'prod', ...mailapi.variables });
  });
  afterAll(async () => {
    await prod.close();
    await mailapi.close();
  });

  const signup = (browser: Browser, email: string, password: string) =>
    browser.post('/auth/signup', { email, password });
  const verify = (browser: Browser, token: string) => browser.post('/auth/verify-email', { token });

  async function tokenFor(email: string): Promise<string> {
    await prod.mailbox.to(email);
    return tokenIn(mailapi.delivered.find(({ to }) => to === email)?.text ?? '');
  }

  it('is asked for the password of the signup, which the stranger alone knows', async () => {
    const [stranger, email] = [prod.browser({}), freshAddress()];
    await signup(stranger, email, PASSWORD);
    const [[name, secret] = ['', '']] = stranger.jar;

    for (const planted of [name.replace('__Host-', ''), `\u00a0${name}`]) {
      const owner = prod.browser({ cookie: `${planted}=${secret}` });
      expect(codeOf(await verify(owner, await tokenFor(email)))).toBe('PasswordRequired');
    }
    expect((await verify(stranger, await tokenFor(email))).status).toBe(200);
  });

  it('lets no stranger who holds that cookie change the signup of the owner', async () => {
    const [email, planted] = [freshAddress(), mintToken()];
    const owner = prod.browser({ cookie: `session_id_signup=${planted}` });
    await signup(owner, email, OWN_PASSWORD);
    const [[name, secret] = ['', '']] = owner.jar;

    await signup(prod.browser({ cookie: `${name}=${planted}` }), email, PASSWORD);

    expect((await verify(prod.browser({ cookie: `${name}=${secret}` }), await tokenFor(email))).status).toBe(
      200,
    );
    const login = (password: string) => prod.browser({}).post('/auth/login', { email, password });
    expect(codeOf(await login(PASSWORD))).toBe('InvalidCredentials');
    expect((await login(OWN_PASSWORD)).status).toBe(200);
  });
});
