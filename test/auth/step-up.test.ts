import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  activeSessions,
  freshAddress,
  giveRole,
  loggedIn,
  loggedInAs,
  PASSWORD,
} from '../support/accounts.js';
import { detailsOf } from '../support/audit.js';
import type { Browser } from '../support/browser.js';
import { place } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const NEW_PASSWORD = 'a horse that staples batteries';
const OF_TOKEN = 'WHERE token_hash = sha256($1::bytea)';

const tokenOf = ({ jar }: Browser) => jar.get('session_id') ?? '';

/** Lets time pass since the user of a session proved who they are. */
async function age(browser: Browser, minutes: number): Promise<void> {
  const sql = `UPDATE sessions SET authenticated_at = authenticated_at - make_interval(mins => $2) ${OF_TOKEN}`;
  await app.database.rows(sql, [tokenOf(browser), minutes]);
}

/** Takes the password away, as an account has none whose owner only logs in through the provider. */
async function withoutPassword(browser: Browser & { email: string }): Promise<void> {
  const sql =
    'UPDATE users SET password_hash = NULL, password_changed_at = NULL WHERE email = $1 RETURNING id';
  await linkIdentity(await app.database.value(sql, [browser.email]));
}

async function linkIdentity(userId: string): Promise<string> {
  return app.database.value(
    `INSERT INTO identities (id, user_id, provider, subject)
     VALUES (gen_random_uuid(), $1, 'https://idp.example', gen_random_uuid()) RETURNING id`,
    [userId],
  );
}

/** Makes an organization that has some users as its ORG_ADMINs, and returns its path. */
async function administeredBy(...ids: string[]): Promise<string> {
  const sql = `INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), 'Some') RETURNING id`;
  const orgId = await app.database.value(sql);
  for (const id of ids) await place(app.database, id, orgId, 'org_admin');
  return `/orgs/${orgId}`;
}

/** Makes the ORG_ADMINs of an organization, and returns the path of the first of them as a member. */
async function oneOfTwoAdmins(): Promise<string> {
  const [one, other] = [await loggedInAs(app, 'member'), await loggedInAs(app, 'member')];
  return `${await administeredBy(one.id, other.id)}/members/${one.id}`;
}

const eventsOf = (userId: string, type: string) => detailsOf(app, userId, type);

/** Routes that ask for a recent proof, each with what it is to be about. */
const DANGEROUS: Record<
  string,
  (admin: Browser & { id: string }) => Promise<{ path: string; body?: object }>
> = {
  'DELETE /users/me/identities/:id': async ({ id }) => ({
    path: `/users/me/identities/${await linkIdentity(id)}`,
  }),
  'PATCH /users/:id': async () => ({
    path: `/users/${(await loggedInAs(app, 'member')).id}`,
    body: { role: 'readonly' },
  }),
  'POST /orgs': async () => ({ path: '/orgs', body: { name: 'Some', admin_email: freshAddress() } }),
  'POST /orgs/:org_id/invitations as an ORG_ADMIN': async () => ({
    path: `${await administeredBy()}/invitations`,
    body: { email: freshAddress(), role: 'org_admin' },
  }),
  'POST /orgs/:org_id/invitations/:id/resend of that of an ORG_ADMIN': async () => {
    const path = await administeredBy();
    const sql = `INSERT INTO invitations (id, org_id, email, role, token_hash, created_at, expires_at)
                 VALUES (gen_random_uuid(), $1, $2, 'org_admin', $3, now() - interval '8 days', now()) RETURNING id`;
    const email = freshAddress();
    const id = await app.database.value(sql, [path.split('/').at(-1), email, Buffer.from(email)]);
    return { path: `${path}/invitations/${id}/resend` };
  },
  'PATCH /orgs/:org_id/members/:user_id of an ORG_ADMIN': async () => ({
    path: await oneOfTwoAdmins(),
    body: { role: 'readonly' },
  }),
  'DELETE /orgs/:org_id/members/:user_id of an ORG_ADMIN': async () => ({ path: await oneOfTwoAdmins() }),
  'DELETE /orgs/:org_id/members/:user_id of its only member': async ({ id }) => {
    const path = await administeredBy(id);
    await giveRole(app.database, id, 'member');
    return { path: `${path}/members/${id}` };
  },
  'DELETE /orgs/:org_id': async () => ({
    path: `/orgs/${await app.database.value(`INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), 'Some') RETURNING id`)}`,
  }),
  'DELETE /password': async ({ id }) => {
    await linkIdentity(id);
    return { path: '/password', body: { current_password: PASSWORD } };
  },
};

describe.each(Object.entries(DANGEROUS))('%s', (route, prepare) => {
  const method = route.split(' ')[0] as 'POST' | 'PATCH' | 'DELETE';

  it('asks an admin whose proof is ten minutes old to prove again who they are, and then does it', async () => {
    const admin = await loggedInAs(app, 'sys_admin');
    const { path, body } = await prepare(admin);
    await age(admin, 10);

    const refused = await admin.send(method, path, body);
    expect(refused).toMatchObject({ status: 403, body: { code: 'StepUpRequired', methods: ['password'] } });
    expect(await eventsOf(admin.id, 'access.refused')).toEqual([]);

    const stepUp = await admin.post('/auth/step-up', { password: PASSWORD });
    expect(stepUp.status).toBe(200);
    expect((await admin.send(method, path, body)).status).toBeLessThan(300);
  });

  it('does it at once within the ten minutes', async () => {
    const admin = await loggedInAs(app, 'sys_admin');
    const { path, body } = await prepare(admin);
    await age(admin, 9);

    expect((await admin.send(method, path, body)).status).toBeLessThan(300);
  });
});

describe('a session that an earlier version began', () => {
  it('goes on, and is asked for a proof before what is dangerous', async () => {
    const admin = await loggedInAs(app, 'sys_admin');
    await app.database.rows(`UPDATE sessions SET authenticated_at = NULL ${OF_TOKEN}`, [tokenOf(admin)]);

    expect((await admin.get('/users/me')).body.session).toMatchObject({ aal: 1, authenticated_at: null });
    expect((await admin.patch(`/users/${admin.id}`, { role: 'member' })).body.code).toBe('StepUpRequired');
  });
});

describe('a step-up by password', () => {
  it('gives the session a fresh cookie, and refuses the old one as that of a session renewed', async () => {
    const browser = await loggedInAs(app, 'member');
    await age(browser, 30);
    const before = tokenOf(browser);

    const { status, body, cookies } = await browser.post('/auth/step-up', { password: PASSWORD });

    expect(status).toBe(200);
    const { session } = (await browser.get('/users/me')).body;
    expect(body).toEqual({ session });
    expect(Date.now() - Date.parse(session.authenticated_at)).toBeLessThan(60_000);
    expect(cookies).toEqual([expect.stringContaining(`session_id=${tokenOf(browser)};`)]);
    expect(tokenOf(browser)).not.toBe(before);
    expect(await eventsOf(browser.id, 'step_up.succeeded')).toEqual([{ method: 'password' }]);

    const other = app.browser();
    other.jar.set('session_id', before);
    expect(await other.get('/users/me')).toMatchObject({
      status: 401,
      body: { code: 'SessionRenewed' },
      cookies: [],
    });
  });

  it('records a wrong password and changes nothing', async () => {
    const browser = await loggedInAs(app, 'member');
    const before = tokenOf(browser);

    const guess = await browser.post('/auth/step-up', { password: 'not the password' });

    expect(guess).toMatchObject({ status: 400, body: { code: 'IncorrectPassword' }, cookies: [] });
    expect(tokenOf(browser)).toBe(before);
    expect(await eventsOf(browser.id, 'step_up.failed')).toEqual([{ method: 'password' }]);
  });

  it('is no licence to guess: it is counted with the other questions for the password', async () => {
    const variables = { SVC_RATE_LIMITS: 'on', SVC_LIMIT_PASSWORD_PER_USER: '3/15m' };
    const limited = await TestApp.start(variables, { database: app.database });
    const browser = await loggedIn(limited);
    const guess = (password: string) => browser.post('/auth/step-up', { password });

    const answers = [await guess('one'), await guess('two'), await guess('three'), await guess(PASSWORD)];
    await limited.nest.close();

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 429]);
  });

  it('happens once for two tabs that prove it at the same time, and leaves both logged in', async () => {
    const browser = await loggedIn(app);
    const password = { password: PASSWORD };

    const answers = await Promise.all([
      browser.post('/auth/step-up', password),
      browser.post('/auth/step-up', password),
    ]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const late = answers.find(({ status }) => status === 401);
    expect(late).toMatchObject({ body: { code: 'SessionRenewed' }, cookies: [] });
    expect((await browser.get('/users/me')).status).toBe(200);
  });

  it('does not revive a session that has ended', async () => {
    const browser = await loggedIn(app);
    const copy = app.browser();
    copy.jar.set('session_id', tokenOf(browser));
    await browser.post('/auth/logout');

    expect(await copy.post('/auth/step-up', { password: PASSWORD })).toMatchObject({ status: 401 });
  });
});

describe('a token that was just replaced', () => {
  it.each([
    ['a step-up', (browser: Browser) => browser.post('/auth/step-up', { password: PASSWORD })],
    [
      'a change of password',
      (browser: Browser) =>
        browser.post('/password/update', { current_password: PASSWORD, new_password: NEW_PASSWORD }),
    ],
  ])('is refused after %s without clearing the cookie, for a minute', async (_, renew) => {
    const browser = await loggedIn(app);
    const late = app.browser();
    late.jar.set('session_id', tokenOf(browser));

    expect((await renew(browser)).status).toBeLessThan(300);
    expect(await late.get('/users/me')).toMatchObject({
      status: 401,
      body: { code: 'SessionRenewed' },
      cookies: [],
    });

    await age(browser, 1);
    const stale = await late.get('/users/me');
    expect(stale).toMatchObject({ status: 401, body: { code: 'Unauthenticated' } });
    expect(stale.cookies).toEqual([expect.stringContaining('session_id=;')]);
    expect((await browser.get('/users/me')).status).toBe(200);
  });

  it('is refused like any other once the session has ended', async () => {
    const browser = await loggedIn(app);
    const late = app.browser();
    late.jar.set('session_id', tokenOf(browser));
    await browser.post('/auth/step-up', { password: PASSWORD });
    await browser.post('/auth/logout');

    expect((await late.get('/users/me')).body.code).toBe('Unauthenticated');
  });
});

describe('an account without a password', () => {
  /** What an account with a password states it for. */
  const acts: [string, (browser: Browser) => ReturnType<Browser['send']>][] = [
    [
      'sets its first password',
      (browser) => browser.post('/password/update', { new_password: NEW_PASSWORD }),
    ],
    ['asks for another address', (browser) => browser.post('/users/me/email', { new_email: freshAddress() })],
    ['is deleted', (browser) => browser.send('DELETE', '/users/me', {})],
  ];

  it.each(acts)('%s in a session that has just begun, and in no other', async (_, act) => {
    const browser = await loggedIn(app);
    await withoutPassword(browser);
    await app.database.rows(`UPDATE sessions SET authenticated_at = now() ${OF_TOKEN}`, [tokenOf(browser)]);

    await age(browser, 10);
    expect(await act(browser)).toMatchObject({
      status: 403,
      body: { code: 'StepUpRequired', methods: [] },
    });
    await age(browser, -10);
    expect((await act(browser)).status).toBeLessThan(300);
  });

  it('has no other proof than another login', async () => {
    const browser = await loggedIn(app);
    await withoutPassword(browser);

    expect(await browser.post('/auth/step-up', { password: PASSWORD })).toMatchObject({
      status: 403,
      body: { code: 'StepUpRequired', methods: [] },
    });
  });
});

describe('DELETE /password', () => {
  it('takes the password away from an account with an identity, ends the other sessions and tells the owner', async () => {
    const browser = await loggedInAs(app, 'member');
    const other = await loggedIn(app, browser.email);
    await linkIdentity(browser.id);

    expect((await browser.send('DELETE', '/password', { current_password: PASSWORD })).status).toBe(204);

    expect((await browser.get('/users/me')).body.user).toMatchObject({ has_password: false });
    expect((await other.get('/users/me')).status).toBe(401);
    expect(await activeSessions(app, browser)).toBe(1);
    const login = { email: browser.email, password: PASSWORD };
    expect((await app.browser().post('/auth/login', login)).status).toBe(401);
    expect((await app.mailbox.last(browser.email)).subject).toBe('Your account no longer has a password');
    expect(await eventsOf(browser.id, 'password.removed')).toHaveLength(1);
    expect((await browser.send('DELETE', '/password', { current_password: PASSWORD })).status).toBe(204);
    expect(await eventsOf(browser.id, 'password.removed')).toHaveLength(1);
  });

  it('voids the links mailed before, which would set a password or move the account', async () => {
    const browser = await loggedInAs(app, 'member');
    await linkIdentity(browser.id);
    await app.browser().post('/password/forgot', { email: browser.email });
    const reset = { token: await app.mailbox.token(browser.email), new_password: NEW_PASSWORD };
    const newEmail = freshAddress();
    await browser.post('/users/me/email', { new_email: newEmail, current_password: PASSWORD });
    const move = { token: await app.mailbox.token(newEmail) };

    expect((await browser.send('DELETE', '/password', { current_password: PASSWORD })).status).toBe(204);

    for (const answer of [
      await app.browser().post('/password/reset', reset),
      await browser.post('/users/me/email/confirm', move),
    ])
      expect(answer).toMatchObject({ status: 400, body: { code: 'InvalidToken' } });
    expect((await browser.get('/users/me')).body.user).toMatchObject({
      email: browser.email,
      has_password: false,
    });
  });

  it('is refused where the password is the last way to log in', async () => {
    const browser = await loggedIn(app);

    expect(await browser.send('DELETE', '/password', { current_password: PASSWORD })).toMatchObject({
      status: 409,
      body: { code: 'LastLoginMethod' },
    });
    expect((await browser.get('/users/me')).body.user.has_password).toBe(true);
  });
});
