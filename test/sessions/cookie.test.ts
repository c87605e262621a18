import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let email: string;
beforeAll(async () => {
  app = await TestApp.start();
  email = await verified(app);
});
afterAll(() => app.close());

/** The session cookie of a login to a service with other settings, on the same database. */
async function cookieOfLogin(variables: Record<string, string>): Promise<string | undefined> {
  const other = await TestApp.start(
    { SVC_BASE_WEB_URL: 'https://app.example.com', ...variables },
    { database: app.database },
  );
  const { cookies } = await other.browser({}).post('/auth/login', { email, password: PASSWORD });
  await other.nest.close();
  return cookies[0];
}

/** How many sessions of a token are active. */
async function activeSessions(token: string): Promise<number> {
  return app.database.value(
    'SELECT count(*)::int FROM sessions WHERE token_hash = sha256($1) AND invalidated_at IS NULL',
    [Buffer.from(token)],
  );
}

describe('the session cookie', () => {
  it.each([
    ['dev', 'Max-Age=86400; Path=/; HttpOnly; SameSite=Lax'],
    ['beta', 'Max-Age=86400; Path=/; HttpOnly; Secure; SameSite=Strict'],
    ['prod', 'Max-Age=86400; Path=/; HttpOnly; Secure; SameSite=Strict'],
    ['staging', 'Max-Age=86400; Path=/; HttpOnly; Secure; SameSite=Strict'],
  ])('has in %s the attributes %s', async (environment, attributes) => {
    const cookie = await cookieOfLogin({ SVC_ENVIRONMENT: environment });

    expect(cookie).toMatch(/^session_id=[\w-]{43}; /);
    expect(cookie?.replace(/^.*?; /, '')).toBe(attributes);
  });

  it('has the name and the lifetime of the settings, and so has the session', async () => {
    const cookie = await cookieOfLogin({
      SVC_SESSION_COOKIE_NAME: '__Host-login',
      SVC_SESSION_COOKIE_MAX_AGE: '600',
    });

    expect(cookie).toMatch(/^__Host-login=[\w-]{43}; Max-Age=600; /);
    const lifetimes = await app.database.rows('SELECT expires_at - created_at AS lifetime FROM sessions');
    expect(lifetimes).toContainEqual({ lifetime: { minutes: 10 } });
  });

  it('holds a token of which the database knows only the SHA-256', async () => {
    const browser = await loggedIn(app);
    const token = browser.jar.get('session_id') ?? '';

    const [{ stored, row }] = await app.database.rows(
      `SELECT s.token_hash AS stored, row_to_json(s)::text AS row FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE u.email = $1`,
      [browser.email],
    );
    expect(stored).toEqual(createHash('sha256').update(token).digest());
    expect(row).not.toContain(token);
    expect(row).not.toContain(Buffer.from(token).toString('hex'));
  });

  it('gets a fresh token at every login, which ends the session of the earlier one', async () => {
    const browser = await loggedIn(app);
    const earlier = browser.jar.get('session_id') ?? '';

    await browser.post('/auth/login', { email: browser.email, password: PASSWORD });

    const later = browser.jar.get('session_id') ?? '';
    expect(later).not.toBe(earlier);
    expect([await activeSessions(earlier), await activeSessions(later)]).toEqual([0, 1]);
    expect((await app.browser().get('/users/me', { cookie: `session_id=${earlier}` })).status).toBe(401);
  });
});

describe('a request with session cookies', () => {
  it('counts two of the name as none, also when one of them is valid', async () => {
    const token = (await loggedIn(app)).jar.get('session_id') ?? '';

    for (const cookie of [
      `session_id=planted; session_id=${token}`,
      `session_id=${token}; session_id=planted`,
      `session_id=${token}; session_id=${token}`,
      `session_id=${token};session_id=`,
    ]) {
      const answer = await app.browser().get('/users/me', { cookie });
      expect([cookie, answer.status, answer.body.code]).toEqual([cookie, 401, 'Unauthenticated']);
    }
    expect(await activeSessions(token)).toBe(1);
  });

  it.each(['dev', 'prod'])(
    'gets a stale one cleared in %s, with the attributes it was set with',
    async (environment) => {
      const other = await TestApp.start({ SVC_ENVIRONMENT: environment }, { database: app.database });
      const answer = await other.browser().get('/users/me', { cookie: 'session_id=stale' });
      await other.nest.close();

      expect(answer.status).toBe(401);
      const safety = environment === 'dev' ? 'SameSite=Lax' : 'Secure; SameSite=Strict';
      expect(answer.cookies).toEqual([
        `session_id=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; ${safety}`,
      ]);
    },
  );

  it.each(['\u00a0', '\u0085', '\v', '\f', '\ufeff'])(
    'is not logged in by a cookie whose name begins with %j',
    async (blank) => {
      const token = (await loggedIn(app)).jar.get('session_id') ?? '';

      const planted = `${blank}session_id=${token}`;
      expect((await app.browser().get('/users/me', { cookie: planted })).status).toBe(401);
      const beside = `session_id=${token}; ${planted}`;
      expect((await app.browser().get('/users/me', { cookie: beside })).status).toBe(200);
    },
  );

  it('may have the blanks of HTTP around them', async () => {
    const token = (await loggedIn(app)).jar.get('session_id') ?? '';

    const cookie = `a=b ;\t session_id=${token} \t; c=d`;
    expect((await app.browser().get('/users/me', { cookie })).status).toBe(200);
  });

  it('is not logged in by a cookie whose name only ends with that of the session', async () => {
    const token = (await loggedIn(app)).jar.get('session_id') ?? '';

    const alone = await app.browser().get('/users/me', { cookie: `other_session_id=${token}` });
    expect([alone.status, alone.cookies]).toEqual([401, []]);

    const beside = await app
      .browser()
      .get('/users/me', { cookie: `other_session_id=x; session_id=${token}` });
    expect(beside.status).toBe(200);
  });
});
