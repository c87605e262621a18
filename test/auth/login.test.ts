import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { appOwner, pendingLogin } from '../support/authenticator-app.js';
import type { Browser } from '../support/browser.js';
import { Forwarder } from '../support/forwarder.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const login = (email: string, password = PASSWORD) => app.browser().post('/auth/login', { email, password });

/** How often bcrypt worked, and at which cost. */
async function hashesDuring(work: () => Promise<unknown>): Promise<number[]> {
  const [compare, hash] = [jest.spyOn(bcrypt, 'compare'), jest.spyOn(bcrypt, 'hash')];
  await work();
  const costs = [
    ...compare.mock.calls.map(([, stored]) => bcrypt.getRounds(stored)),
    ...hash.mock.calls.map(([, cost]) => Number(cost)),
  ];
  compare.mockRestore();
  hash.mockRestore();
  return costs;
}

describe('POST /auth/login', () => {
  it('starts a session and sets the cookie', async () => {
    const email = await verified(app);
    const browser = app.browser();

    const answer = await browser.post(
      '/auth/login',
      { email, password: PASSWORD },
      { 'user-agent': 'A browser' },
    );

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      user: { email, name: null, role: 'member', email_verified: true, org_id: null, has_password: true },
      session: { current: true, auth_method: 'password', ip: '127.0.0.1', user_agent: 'A browser' },
    });
    expect((await browser.get('/users/me')).body).toEqual(answer.body);
  });

  it('answers alike for a wrong password and an unknown address, and hashes once for either', async () => {
    const email = await verified(app);
    const wrong = () => login(email, 'not the password');
    const unknown = () => login(freshAddress(), 'not the password');

    const [wrongPassword, unknownAddress] = [await wrong(), await unknown()];
    expect(wrongPassword).toMatchObject({ status: 401, body: { code: 'InvalidCredentials' }, cookies: [] });
    expect({ ...unknownAddress.body, request_id: '' }).toEqual({ ...wrongPassword.body, request_id: '' });
    expect(Object.keys(unknownAddress.headers)).toEqual(Object.keys(wrongPassword.headers));

    expect(await hashesDuring(wrong)).toEqual([4]);
    expect(await hashesDuring(unknown)).toEqual([4]);
  });

  it('hashes once for an account without a password', async () => {
    const email = await verified(app);
    await app.database.rows(
      'UPDATE users SET password_hash = NULL, password_changed_at = NULL WHERE email = $1',
      [email],
    );

    expect(await hashesDuring(() => login(email))).toEqual([4]);
    expect((await login(email)).body.code).toBe('InvalidCredentials');
  });

  it('reveals that an account is disabled only to a caller who knows the password', async () => {
    const email = await verified(app);
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [email]);

    expect(await login(email)).toMatchObject({ status: 403, body: { code: 'AccountDisabled' }, cookies: [] });
    expect(await login(email, 'not the password')).toMatchObject({
      status: 401,
      body: { code: 'InvalidCredentials' },
    });
  });

  it('ends the session whose cookie came with the request, and starts one with a fresh token', async () => {
    const browser = await loggedIn(app);
    const planted = new Map(browser.jar);

    await browser.post('/auth/login', { email: browser.email, password: PASSWORD });

    expect(browser.jar.get('session_id')).not.toBe(planted.get('session_id'));
    const other = app.browser();
    other.jar.set('session_id', planted.get('session_id') ?? '');
    expect((await other.get('/users/me')).status).toBe(401);
  });

  it('accepts a bcrypt hash from another system, and hashes the password anew', async () => {
    const email = await verified(app);
    const imported = await bcrypt.hash('imported long ago', 5);
    await app.database.rows('UPDATE users SET password_hash = $2 WHERE email = $1', [email, imported]);

    const answers = await Promise.all([login(email, 'imported long ago'), login(email, 'imported long ago')]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const stored = await app.database.value('SELECT password_hash FROM users WHERE email = $1', [email]);
    expect(stored).toMatch(/^hmac-sha256:\$2b\$04\$/);
    expect((await login(email, 'imported long ago')).status).toBe(200);
  });

  it('keeps an imported hash when it may not have read the password to its end', async () => {
    const email = await verified(app);
    const password = 'x1'.repeat(36);
    await app.database.rows('UPDATE users SET password_hash = $2 WHERE email = $1', [
      email,
      await bcrypt.hash(password, 4),
    ]);

    await login(email, `${password} and more`);

    expect((await login(email, password)).status).toBe(200);
  });

  it.each([
    ['1.2.3.4:5555', '1.2.3.4'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', '127.0.0.1'],
    ['1.2.3.4/24', '127.0.0.1'],
  ])('records the last address that is known when the proxy says %s', async (forwarded, ip) => {
    const email = await verified(app);
    const behind = await TestApp.start({ SVC_TRUSTED_PROXIES: '127.0.0.1' }, { database: app.database });
    const headers = { 'x-forwarded-for': forwarded };
    const answer = await behind.browser().post('/auth/login', { email, password: PASSWORD }, headers);

    expect(answer).toMatchObject({ status: 200, body: { session: { ip } } });
    await behind.nest.close();
  });
});

describe('a login with every limit on', () => {
  let limited: TestApp;
  let email: string;
  let forwarder: Forwarder;
  beforeAll(async () => {
    forwarder = await Forwarder.to(Number(new URL(app.database.url).port));
    const url = forwarder.through(app.database.url);
    limited = await TestApp.start(
      { SVC_RATE_LIMITS: 'on', SVC_DATABASE_URL: url },
      { database: app.database },
    );
  });
  beforeEach(async () => {
    email = await verified(app);
  });
  afterAll(async () => {
    await limited.nest.close();
    await forwarder.close();
  });

  const logIn = (browser: Browser) => () => browser.post('/auth/login', { email, password: PASSWORD });

  it('sends PostgreSQL 10 statements, from a known device 12, and from a new one three more for the mail', async () => {
    const sent = async (browser: Browser) => (await statementsDuring(logIn(browser))).length;

    const first = limited.browser();
    expect([await sent(first), await sent(first), await sent(limited.browser())]).toEqual([10, 12, 13]);
  });

  it('waits for PostgreSQL 10 times', async () => {
    const waits = [];
    for (const _ of [1, 2, 3, 4, 5]) {
      email = await verified(app);
      waits.push(await forwarder.roundTripsDuring(logIn(limited.browser())));
    }

    // What is done in the background may add to one of them.
    expect(waits.sort((one, other) => one - other)[2]).toBe(10);
  });

  it('reads the factors only once it has locked the user, or it could overlook a new one', async () => {
    const statements = await statementsDuring(logIn(limited.browser()));

    const [lock, factors] = ['FOR SHARE', 'totp_factors'].map((word) =>
      statements.findIndex((statement) => statement.includes(word)),
    );
    expect(lock).toBeGreaterThan(-1);
    expect(factors).toBe(Number(lock) + 1);
  });
});

describe('POST /auth/logout', () => {
  it('ends the session from that moment on, and clears the cookie', async () => {
    const browser = await loggedIn(app);
    const stolen = app.browser();
    stolen.jar.set('session_id', browser.jar.get('session_id') ?? '');

    const answer = await browser.post('/auth/logout');

    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(browser.jar.has('session_id')).toBe(false);
    expect((await stolen.get('/users/me')).status).toBe(401);
  });

  it('ends the pending login of the browser beside its session', async () => {
    const [browser, owner] = [await loggedIn(app), await appOwner(app)];
    await browser.post('/auth/login', { email: owner.email, password: PASSWORD });

    expect((await browser.post('/auth/logout')).status).toBe(204);

    expect([...browser.jar.keys()]).toEqual(['session_id_device']);
    expect(await app.database.rows('SELECT 1 FROM pending_logins WHERE user_id = $1', [owner.id])).toEqual(
      [],
    );
  });

  it('gives up a pending login where there is no session', async () => {
    const owner = await appOwner(app);
    const browser = await pendingLogin(app, owner);
    const stolen = browser.jar.get('session_id_pending') ?? '';

    expect(await browser.post('/auth/logout')).toMatchObject({ status: 204, text: '' });

    expect([...browser.jar.keys()]).toEqual([]);
    browser.jar.set('session_id_pending', stolen);
    expect((await browser.post('/auth/logout')).status).toBe(401);
    expect([...browser.jar.keys()]).toEqual([]);
  });

  it('refuses a caller who is not logged in', async () => {
    expect(await app.browser().post('/auth/logout')).toMatchObject({
      status: 401,
      body: { code: 'Unauthenticated' },
    });
  });
});
