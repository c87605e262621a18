import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activeSessions, loggedIn, loggedInAs, PASSWORD } from '../../support/accounts.js';
import { detailsOf, eventsAfter } from '../../support/audit.js';
import { Authenticator } from '../../support/authenticator.js';
import {
  type AppOwner,
  ageProof,
  appOwner,
  pendingLogin,
  SECOND_FACTOR,
} from '../../support/authenticator-app.js';
import type { Browser } from '../../support/browser.js';
import { emptyOrg, linkFor } from '../../support/crowd.js';
import { tokenIn } from '../../support/mails.js';
import { place } from '../../support/orgs.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
let b2c: TestApp;
/** Where users can belong to several organizations. */
let several: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_APP_MODE: 'b2b' });
  several = await TestApp.start({ SVC_APP_MODE: 'b2b', SVC_ORGS_PER_USER: '5' }, { database: app.database });
  b2c = await TestApp.start({}, { database: app.database });
});
afterAll(async () => {
  await b2c.nest.close();
  await several.nest.close();
  await app.close();
});

const NEW_PASSWORD = 'a horse that staples batteries';

/** What an account has of each factor, and whether a login to it is under way. */
const factorsOf = async ({ id }: { id: string }) =>
  (
    await app.database.rows(
      `SELECT (SELECT count(*)::int FROM totp_factors WHERE user_id = $1) AS totp,
              (SELECT count(*)::int FROM passkeys WHERE user_id = $1) AS passkeys,
              (SELECT count(*)::int FROM recovery_codes WHERE user_id = $1) AS codes,
              (SELECT count(*)::int FROM pending_logins WHERE user_id = $1) AS logins`,
      [id],
    )
  )[0];
const NONE = { totp: 0, passkeys: 0, codes: 0, logins: 0 };

async function addPasskey({ browser }: AppOwner): Promise<void> {
  const { body } = await browser.post('/users/me/passkeys/options');
  const credential = new Authenticator().create(body.options);
  expect((await browser.post('/users/me/passkeys', { credential })).status).toBe(201);
}

const moveTo = (orgId: string, { id }: { id: string }) => place(app.database, id, orgId);

/** An organization with two users of two roles, the second of which has an app. */
async function newOrg(
  callers: 'org_admin' | 'sys_admin' | 'member',
  owners: 'member' | 'org_admin' | 'sys_admin',
) {
  const orgId = await emptyOrg(app.database);
  const [caller, owner] = [await loggedInAs(app, callers), await appOwner(app, owners)];
  await moveTo(orgId, caller);
  await moveTo(orgId, owner);
  const pathOf = ({ id }: { id: string }) => `/orgs/${orgId}/members/${id}/factors`;
  return { orgId, caller, owner, path: pathOf(owner), pathOf };
}

async function expectRefused(caller: Browser, path: string, owner: AppOwner, answer: object): Promise<void> {
  expect(await caller.delete(path)).toMatchObject(answer);
  expect(await factorsOf(owner)).toMatchObject({ totp: 1, codes: 10 });
  expect((await owner.browser.get('/users/me')).status).toBe(200);
}

describe('a reset of the factors of a user by a system admin', () => {
  it('removes them all, ends sessions and logins under way, and tells the owner', async () => {
    const [admin, owner] = [await loggedInAs(app, 'sys_admin'), await appOwner(app)];
    await addPasskey(owner);
    const pending = await pendingLogin(app, owner);
    expect(await factorsOf(owner)).toEqual({ totp: 1, passkeys: 1, codes: 10, logins: 1 });

    const events = await eventsAfter(app, async () => {
      expect((await admin.delete(`/users/${owner.id}/factors`)).status).toBe(204);
    });
    expect(events).toMatchObject([{ type: 'factors.reset', actor_id: admin.id, user_id: owner.id }]);
    expect(await factorsOf(owner)).toEqual(NONE);
    expect((await owner.browser.get('/users/me')).status).toBe(401);
    const late = await pending.post(SECOND_FACTOR, { totp: owner.app.code() });
    expect(late).toMatchObject({ status: 401, body: { code: 'Unauthenticated' } });
    expect((await app.mailbox.last(owner.email)).subject).toBe('An administrator reset your second factors');
    const login = await app.browser().post('/auth/login', { email: owner.email, password: PASSWORD });
    expect(login.status).toBe(200);
  });

  it('is refused for oneself, for an unknown user, without a recent proof, and to every other role', async () => {
    const owner = await appOwner(app);
    const path = `/users/${owner.id}/factors`;
    const admin = await appOwner(app, 'sys_admin');
    await expectRefused(admin.browser, `/users/${admin.id}/factors`, admin, {
      status: 403,
      body: { code: 'InsufficientRole' },
    });
    expect((await admin.browser.delete(`/users/${crypto.randomUUID()}/factors`)).status).toBe(404);
    await expectRefused(await loggedInAs(app, 'org_admin'), path, owner, { status: 403 });
    await ageProof(app, admin.browser);
    await expectRefused(admin.browser, path, owner, { status: 403, body: { code: 'StepUpRequired' } });
  });
});

describe('a reset of the factors of a member', () => {
  it.each([
    ['org_admin', 'member'],
    ['org_admin', 'org_admin'],
    ['sys_admin', 'sys_admin'],
  ] as const)('by one of role %s removes those of one of role %s', async (callers, owners) => {
    const { caller, owner, path, orgId } = await newOrg(callers, owners);
    await addPasskey(owner);
    await pendingLogin(app, owner);
    const events = await eventsAfter(app, async () => {
      expect((await caller.delete(path)).status).toBe(204);
    });
    expect(events).toMatchObject([
      { type: 'factors.reset', actor_id: caller.id, user_id: owner.id, org_id: orgId },
    ]);
    expect(await factorsOf(owner)).toEqual(NONE);
    expect(await activeSessions(app, owner)).toBe(0);
    expect((await app.mailbox.last(owner.email)).subject).toBe('An administrator reset your second factors');
  });

  it.each([
    ['a higher role', 'org_admin', 'sys_admin', { status: 403, body: { code: 'InsufficientRole' } }],
    ['a member who is no admin', 'member', 'member', { status: 403, body: { code: 'InsufficientRole' } }],
  ] as const)('is refused: %s', async (_, callers, owners, answer) => {
    const { caller, owner, path } = await newOrg(callers, owners);
    await expectRefused(caller, path, owner, answer);
  });

  it('is refused for oneself', async () => {
    const { owner, pathOf } = await newOrg('member', 'org_admin');
    await expectRefused(owner.browser, pathOf(owner), owner, { status: 403 });
  });

  it('is a 404 in another organization, and for a user of another', async () => {
    const [own, other] = [await newOrg('org_admin', 'member'), await newOrg('org_admin', 'member')];
    await expectRefused(own.caller, other.path, other.owner, { status: 404 });
    await expectRefused(own.caller, own.pathOf(other.owner), other.owner, { status: 404 });
  });

  it('asks for a recent proof', async () => {
    const { caller, owner, path } = await newOrg('org_admin', 'member');
    await ageProof(app, caller);
    await expectRefused(caller, path, owner, { status: 403, body: { code: 'StepUpRequired' } });
  });

  it('is a 404 in B2C, where strangers found organizations', async () => {
    const { caller, owner, path } = await newOrg('org_admin', 'member');
    const browser = b2c.browser();
    for (const [name, value] of caller.jar) browser.jar.set(name, value);
    await expectRefused(browser, path, owner, { status: 404 });
  });
});

describe('an owner who secures the account', () => {
  const use = async (token: string) => (await app.browser().post('/auth/secure-account', { token })).status;
  const secure = async (owner: AppOwner) => {
    const token = await linkFor(app.database, { ...owner, cookie: '' }, 'secure-account');
    expect(await use(token)).toBe(204);
  };
  const tokenOfNewApp = async ({ email }: AppOwner) => {
    const mails = await app.mailbox.to(email);
    return tokenIn(mails.find(({ text }) => text.includes('authenticator app was added'))?.text ?? '');
  };
  const fourDaysPass = async (
    { id }: AppOwner,
    tables = ['totp_factors', 'recovery_codes', 'passkeys', 'one_time_tokens'],
  ) => {
    for (const table of tables) {
      const column = table === 'totp_factors' ? 'confirmed_at' : 'created_at';
      const sql = `UPDATE ${table} SET ${column} = ${column} - interval '4 days' WHERE user_id = $1`;
      await app.database.rows(sql, [id]);
    }
  };
  const age = (table: string, column: string, { id }: AppOwner, hours: number) =>
    app.database.rows(
      `UPDATE ${table} SET ${column} = now() - make_interval(hours => $2) WHERE user_id = $1`,
      [id, hours],
    );

  it('undoes what was made in the last 72 hours, and ends the logins under way', async () => {
    const owner = await appOwner(app);
    await addPasskey(owner);
    const thief = await pendingLogin(app, owner);
    for (const table of ['totp_factors', 'recovery_codes']) await age(table, 'created_at', owner, 71);
    await age('totp_factors', 'confirmed_at', owner, 71);

    await secure(owner);
    expect(await factorsOf(owner)).toEqual(NONE);
    expect((await thief.post(SECOND_FACTOR, { totp: owner.app.code() })).status).toBe(401);
    for (const type of ['second_step.off', 'passkey.removed'])
      expect(await detailsOf(app, owner.id, type)).toHaveLength(1);
  });

  it('does so by the link of the mail about a login that waits for its second step, and learns of it', async () => {
    const [young, old] = [await appOwner(app), await appOwner(app)];
    for (const table of ['totp_factors', 'recovery_codes']) await age(table, 'created_at', old, 73);
    await age('totp_factors', 'confirmed_at', old, 73);
    const lost = async ({ email }: AppOwner) => {
      const mails = await app.mailbox.to(email);
      const { text = '' } = mails.find(({ subject }) => subject === 'Your account was secured') ?? {};
      return text.includes('added in the last three days are removed');
    };

    for (const owner of [young, old]) {
      await pendingLogin(app, owner);
      expect(await use(await app.mailbox.token(owner.email))).toBe(204);
    }
    expect([await factorsOf(young), await lost(young)]).toEqual([NONE, true]);
    expect([await factorsOf(old), await lost(old)]).toEqual([{ ...NONE, totp: 1, codes: 10 }, false]);
  });

  it('keeps what is older: the mailbox must not be the second factor', async () => {
    const owner = await appOwner(app);
    for (const table of ['totp_factors', 'recovery_codes']) await age(table, 'created_at', owner, 73);
    await age('totp_factors', 'confirmed_at', owner, 73);
    await secure(owner);
    expect(await factorsOf(owner)).toEqual({ ...NONE, totp: 1, codes: 10 });

    const token = await linkFor(app.database, { ...owner, cookie: '' }, 'reset-password');
    await app.browser().post('/password/reset', { token, new_password: NEW_PASSWORD });
    const login = await app.browser().post('/auth/login', { email: owner.email, password: NEW_PASSWORD });
    expect(login).toMatchObject({ status: 202, body: { pending_login: { next: 'second_factor' } } });
  });

  it('keeps them also from the link of an older mail, which a reader of the mailbox may find', async () => {
    const owner = await appOwner(app);
    for (const table of ['totp_factors', 'recovery_codes']) await age(table, 'created_at', owner, 96);
    await age('totp_factors', 'confirmed_at', owner, 96);
    const token = await linkFor(app.database, { ...owner, cookie: '' }, 'secure-account');
    await age('one_time_tokens', 'created_at', owner, 144);

    expect(await use(token)).toBe(204);
    expect(await factorsOf(owner)).toEqual({ ...NONE, totp: 1, codes: 10 });
  });

  it('undoes with the link of the mail about it what an intruder made four days ago', async () => {
    const victim = await appOwner(app);
    const token = await tokenOfNewApp(victim);
    await fourDaysPass(victim);

    expect(await use(token)).toBe(204);
    expect(await factorsOf(victim)).toEqual(NONE);
  });

  it('undoes it also after using the link of a later mail, which voids all links but that one', async () => {
    const victim = await appOwner(app);
    const token = await tokenOfNewApp(victim);
    await fourDaysPass(victim);
    const other = await linkFor(app.database, { ...victim, cookie: '' }, 'secure-account');

    await secure(victim);
    expect(await factorsOf(victim)).toEqual({ ...NONE, totp: 1, codes: 10 });
    expect(await use(other)).toBe(400);
    expect(await use(token)).toBe(204);
    expect(await factorsOf(victim)).toEqual(NONE);
  });

  it('keeps a passkey made since the mail of the link only where it guards a login', async () => {
    const [guarded, plain] = [await appOwner(app), await appOwner(app)];
    for (const owner of [guarded, plain]) {
      await addPasskey(owner);
      await fourDaysPass(owner);
      await fourDaysPass(owner, ['totp_factors', 'recovery_codes']);
    }
    await app.database.rows('DELETE FROM totp_factors WHERE user_id = $1', [plain.id]);

    for (const owner of [guarded, plain]) {
      const token = await linkFor(app.database, { ...owner, cookie: '' }, 'secure-account');
      const sixDaysAgo = `created_at = now() - interval '6 days'`;
      await app.database.rows(
        `UPDATE one_time_tokens SET ${sixDaysAgo} WHERE token_hash = sha256($1::bytea)`,
        [token],
      );
      expect(await use(token)).toBe(204);
    }

    expect(await factorsOf(guarded)).toEqual({ ...NONE, totp: 1, passkeys: 1, codes: 10 });
    expect(await factorsOf(plain)).toMatchObject({ passkeys: 0 });
  });

  it('loses the recovery codes that a thief made in place of theirs, and keeps the app', async () => {
    const owner = await appOwner(app);
    await age('totp_factors', 'confirmed_at', owner, 73);
    const thiefs = (await owner.browser.post('/users/me/recovery-codes')).body.recovery_codes;
    await secure(owner);
    expect(await factorsOf(owner)).toEqual({ ...NONE, totp: 1 });

    const token = await linkFor(app.database, { ...owner, cookie: '' }, 'reset-password');
    await app.browser().post('/password/reset', { token, new_password: PASSWORD });
    const browser = await pendingLogin(app, owner);
    expect((await browser.post(SECOND_FACTOR, { recovery_code: thiefs[0] })).body.code).toBe('InvalidCode');
    expect((await browser.post(SECOND_FACTOR, { totp: owner.app.code() })).status).toBe(200);
  });

  it('loses the secret that a thief has not confirmed yet', async () => {
    const browser = await loggedInAs(app, 'member');
    await browser.post('/users/me/totp');
    await secure({ ...browser, browser } as unknown as AppOwner);
    expect(await factorsOf(browser)).toEqual(NONE);
  });
});

describe('a new password by mail', () => {
  it('leaves the factors, and the next login asks for them', async () => {
    const owner = await appOwner(app);
    const thief = await pendingLogin(app, owner);
    const token = await linkFor(app.database, { ...owner, cookie: '' }, 'reset-password');
    const reset = await app.browser().post('/password/reset', { token, new_password: NEW_PASSWORD });
    expect(reset.status).toBe(204);
    expect(reset.cookies.some((cookie) => cookie.startsWith('session_id='))).toBe(false);
    expect(await factorsOf(owner)).toEqual({ ...NONE, totp: 1, codes: 10 });

    expect((await thief.post(SECOND_FACTOR, { totp: owner.app.code() })).status).toBe(401);
    const login = await app.browser().post('/auth/login', { email: owner.email, password: NEW_PASSWORD });
    expect(login).toMatchObject({
      status: 202,
      body: { pending_login: { next: 'second_factor', methods: ['totp', 'recovery_code'] } },
    });
  });
});

describe('a reset of the factors of a member who may belong to several organizations', () => {
  const at = async (service: TestApp, admin: { email: string }) => loggedIn(service, admin.email);

  const expectAsked = async (
    service: TestApp,
    { caller, owner, path, orgId }: Awaited<ReturnType<typeof newOrg>>,
    root: { email: string },
  ) => {
    const admin = await at(service, caller);
    const events = await eventsAfter(app, async () => {
      expect(await admin.delete(path)).toMatchObject({ status: 202, text: '' });
      expect(await admin.delete(path)).toMatchObject({ status: 202, text: '' });
    });
    // Of others, who entered their organizations a moment ago, the events come when they may.
    expect(events).toMatchObject([
      { type: 'factors.reset_requested', actor_id: caller.id, user_id: owner.id, org_id: orgId },
    ]);
    expect(await factorsOf(owner)).toMatchObject({ totp: 1, codes: 10 });
    expect((await owner.browser.get('/users/me')).status).toBe(200);
    const toRoot = (await app.mailbox.to(root.email)).filter(({ subject }) =>
      /second factors reset/.test(subject),
    );
    expect(toRoot.at(-1)?.text.replace(/[\u200b\u2060]/g, '')).toContain(owner.email);
    const { subject, text } = await app.mailbox.last(owner.email);
    expect(subject).toBe('An administrator asked to reset your second factors');
    expect(tokenIn(text)).not.toBe('');
    return toRoot.length;
  };

  it('is asked of the SYSTEM_ADMINs, once a day, and tells the owner', async () => {
    const root = await loggedInAs(app, 'sys_admin');

    expect(await expectAsked(several, await newOrg('org_admin', 'member'), root)).toBe(1);
  });

  it('is done at once where a SYSTEM_ADMIN does it', async () => {
    const { caller, owner, path } = await newOrg('sys_admin', 'member');

    expect((await (await at(several, caller)).delete(path)).status).toBe(204);
    expect(await factorsOf(owner)).toEqual(NONE);
  });

  it('is asked also where users can belong to one only, while another user still belongs to two', async () => {
    const root = await loggedInAs(app, 'sys_admin');
    const other = await loggedInAs(app, 'org_admin');
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'member', 'invitation')`,
      [other.id, await emptyOrg(app.database)],
    );

    await expectAsked(app, await newOrg('org_admin', 'member'), root);

    await app.database.rows('DELETE FROM memberships WHERE user_id = $1', [other.id]);
    const { caller, path } = await newOrg('org_admin', 'member');
    expect((await caller.delete(path)).status).toBe(204);
  });
});
