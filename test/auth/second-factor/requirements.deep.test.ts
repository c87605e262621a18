import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activeSessions, giveRole, loggedIn, loggedInAs, PASSWORD } from '../../support/accounts.js';
import { Authenticator } from '../../support/authenticator.js';
import {
  AuthenticatorApp,
  ageProof,
  appOwner,
  pendingLogin,
  SECOND_FACTOR,
} from '../../support/authenticator-app.js';
import type { Browser } from '../../support/browser.js';
import { emptyOrg, invitationFor } from '../../support/crowd.js';
import { asMember, place } from '../../support/orgs.js';
import { optionsOf, PasskeyOwner } from '../../support/passkeys.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
let strict: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_APP_MODE: 'b2b' });
  strict = await TestApp.start(
    { SVC_APP_MODE: 'b2b', SVC_SECOND_STEP_FROM: 'org_admin' },
    { database: app.database },
  );
});
afterAll(async () => {
  await strict.nest.close();
  await app.close();
});

const REQUIRE = { second_factor_required: true };

/** The same browser, in front of another service. */
function infrontOf(service: TestApp, { jar }: Browser): Browser {
  const browser = service.browser();
  for (const [name, value] of jar) browser.jar.set(name, value);
  return browser;
}

const moveTo = (orgId: string, { id }: { id: string }, role = 'member') =>
  place(app.database, id, orgId, role);

/** An organization, whose admin has an authenticator app, and a member who has logged in by password alone. */
async function newOrg({ isRequired = false } = {}) {
  const id = await emptyOrg(app.database);
  const [admin, member] = [await appOwner(app), await asMember(await loggedIn(app))];
  await moveTo(id, admin, 'org_admin');
  await moveTo(id, member);
  if (isRequired) expect((await admin.browser.patch(`/orgs/${id}`, REQUIRE)).status).toBe(200);
  return { id, admin, member, path: `/orgs/${id}` };
}

async function addPasskey(browser: Browser): Promise<string> {
  const { body } = await browser.post('/users/me/passkeys/options');
  const credential = new Authenticator().create(body.options);
  return (await browser.post('/users/me/passkeys', { credential })).body.passkey.id;
}

describe('where a role must have a second factor', () => {
  it('a role that is raised, and a setting that changes, bind on the next request of a session', async () => {
    const org = await newOrg();
    const getOrg = async (service: TestApp) => (await infrontOf(service, org.member).get(org.path)).body.code;
    expect(await getOrg(strict)).toBeUndefined();

    await moveTo(org.id, org.member, 'org_admin');
    expect(await getOrg(app)).toBeUndefined();
    expect(await getOrg(strict)).toBe('OrgPolicyUnmet');
    expect((await infrontOf(strict, org.member).get('/users/me')).body.organizations).toMatchObject([
      { id: org.id, unmet: ['second_factor'] },
    ]);

    await giveRole(app.database, org.member.id, 'sys_admin');
    expect((await org.member.get('/users/me')).status).toBe(200);
    expect((await infrontOf(strict, org.member).get('/users/me')).status).toBe(401);
  });

  it('it is the highest one outside of dev, unless the settings say otherwise', async () => {
    const beta = await TestApp.start(
      { SVC_ENVIRONMENT: 'beta', SVC_BASE_WEB_URL: 'https://app.example.com', SVC_APP_MODE: 'b2b' },
      { database: app.database },
    );
    try {
      const [admin, other] = [await loggedInAs(app, 'sys_admin'), await loggedInAs(app, 'org_admin')];
      expect((await infrontOf(beta, admin).get('/users/me')).status).toBe(401);
      expect((await infrontOf(beta, other).get('/users/me')).status).toBe(200);

      const { email } = admin;
      const { status, cookies } = await beta.browser({}).post('/auth/login', { email, password: PASSWORD });
      expect(status).toBe(202);
      expect(cookies[0]).toMatch(/^__Host-session_id_pending=.*; HttpOnly; Secure; SameSite=Strict$/);
    } finally {
      await beta.nest.close();
    }
  });

  it('a session of both steps goes on', async () => {
    const { browser } = await appOwner(app, 'sys_admin');
    expect((await infrontOf(strict, browser).get('/users/me')).status).toBe(200);
  });

  it('many sessions looked up at once are judged each by itself', async () => {
    const [weak, good] = [await loggedInAs(app, 'sys_admin'), await loggedInAs(app, 'member')];
    const both = [weak, good].map((browser) => infrontOf(strict, browser));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => both[index % 2]?.get('/users/me')),
    );
    expect(answers.map((answer) => answer?.status)).toEqual(Array(6).fill([401, 200]).flat());
  });

  it('the last factor cannot be removed, and with another one it can', async () => {
    const { browser } = await appOwner(strict, 'org_admin');
    const refused = { status: 409, body: { code: 'LastSecondFactor' } };
    expect((await browser.get('/users/me/factors')).body.factors.second_step).toBe('required');
    expect(await browser.delete('/users/me/totp')).toMatchObject(refused);
    expect((await browser.get('/users/me/factors')).body.factors.totp).not.toBeNull();

    const passkey = await addPasskey(browser);
    expect((await browser.delete('/users/me/totp')).status).toBe(204);
    expect(await browser.delete(`/users/me/passkeys/${passkey}`)).toMatchObject(refused);
    expect((await browser.get('/users/me/factors')).body.factors).toMatchObject({
      totp: null,
      passkeys: 1,
      recovery_codes_left: 10,
    });
  });

  it('of two that are removed at once, one stays', async () => {
    const { browser } = await appOwner(strict, 'org_admin');
    const passkey = await addPasskey(browser);
    const answers = await Promise.all(
      ['/users/me/totp', `/users/me/passkeys/${passkey}`].map((path) => browser.delete(path)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });
});

describe('an organization that begins to require a second factor', () => {
  it('refuses the sessions of its members without one from the next request on, and ends none', async () => {
    const org = await newOrg();
    const strongMember = await appOwner(app);
    await moveTo(org.id, strongMember);

    const { body } = await org.admin.browser.patch(org.path, REQUIRE);
    expect(body.org).toMatchObject({ second_factor_required: true, name: 'Initech' });
    for (const path of [org.path, `${org.path}/members`])
      expect(await org.member.get(path)).toMatchObject({
        status: 403,
        body: { code: 'OrgPolicyUnmet', org_id: org.id, unmet: ['second_factor'], cure: 'set_up_factor' },
      });
    expect(await activeSessions(app, org.member)).toBe(1);
    for (const strong of [org.admin.browser, strongMember.browser])
      expect((await strong.get(org.path)).status).toBe(200);
    const events = await app.database.rows(
      `SELECT details FROM audit_events WHERE org_id = $1 AND type = 'org.policy_changed'`,
      [org.id],
    );
    expect(events).toEqual([{ details: { second_factor: true, former_second_factor: false } }]);
  });

  it('leaves the account to its members: what is personal, what they say of themselves, and to leave', async () => {
    const org = await newOrg({ isRequired: true });

    for (const path of ['/users/me', '/sessions', '/users/me/factors', '/audit-events'])
      expect((await org.member.get(path)).status).toBe(200);
    for (const path of ['/audit-events?scope=org', `/sessions/verify?org=${org.id}`, '/sessions/verify'])
      expect((await org.member.get(path)).body.code).toBe('OrgPolicyUnmet');
    const { body } = await org.member.get('/users/me');
    expect(body.organizations).toMatchObject([{ id: org.id, role: 'member', unmet: ['second_factor'] }]);

    const removing = await org.member.delete(`${org.path}/members/${org.admin.id}`);
    expect(removing.body.code).toBe('OrgPolicyUnmet');
    expect((await org.member.delete(`${org.path}/members/${org.member.id}`)).status).toBe(204);
  });

  it('lets a member in who sets up a factor in the session', async () => {
    const org = await newOrg({ isRequired: true });
    const { secret } = (await org.member.post('/users/me/totp')).body;

    const code = new AuthenticatorApp(secret).code();
    expect((await org.member.post('/users/me/totp/confirm', { code })).status).toBe(200);
    expect((await org.member.get(org.path)).status).toBe(200);
  });

  it('asks for the set-up at the next login of a member without one', async () => {
    const org = await newOrg({ isRequired: true });

    const login = await org.member.post('/auth/login', { email: org.member.email, password: PASSWORD });
    expect(login).toMatchObject({ status: 202, body: { pending_login: { next: 'setup', methods: [] } } });
  });

  it('asks a session without one for the factor that its user has, and lets the proof in', async () => {
    const org = await newOrg();
    const { browser, id, authenticator } = await PasskeyOwner.in(app);
    await moveTo(org.id, { id });
    await org.admin.browser.patch(org.path, REQUIRE);

    const asked = { code: 'StepUpRequired', methods: ['passkey'], org_id: org.id, unmet: ['second_factor'] };
    expect(await browser.get(org.path)).toMatchObject({ status: 403, body: asked });
    expect((await browser.post('/auth/step-up', { password: PASSWORD })).body.code).toBe('StepUpRequired');
    const options = await optionsOf(browser.post('/auth/step-up/options'));
    const credential = authenticator.get(options);
    expect((await browser.post('/auth/step-up', { credential })).status).toBe(200);
    expect((await browser.get(org.path)).status).toBe(200);
  });

  it('asks that proof of a session from before it for each change of a way in: a thief adds no factor', async () => {
    const org = await newOrg();
    await addPasskey(org.member);
    await org.admin.browser.patch(org.path, REQUIRE);

    const refused = { status: 403, body: { code: 'StepUpRequired', methods: ['passkey'] } };
    expect(await org.member.post('/users/me/passkeys/options')).toMatchObject(refused);
    expect(await org.member.post('/users/me/totp')).toMatchObject(refused);
    const passwords = { current_password: PASSWORD, new_password: 'a horse that staples batteries' };
    expect(await org.member.post('/password/update', passwords)).toMatchObject(refused);
  });

  it('asks its admin for a recent proof and a session with a second factor, also in an organization of others', async () => {
    const org = await newOrg();
    await moveTo(org.id, org.member, 'org_admin');
    expect(await org.member.patch(org.path, REQUIRE)).toMatchObject({
      status: 409,
      body: { code: 'NoSecondFactor' },
    });
    await ageProof(app, org.member);
    expect(await org.member.patch(org.path, REQUIRE)).toMatchObject({
      status: 403,
      body: { code: 'StepUpRequired', methods: ['password'] },
    });
    expect((await org.member.patch(org.path, { name: 'Initrode' })).status).toBe(200);

    await ageProof(app, org.admin.browser);
    expect(await org.admin.browser.patch(org.path, REQUIRE)).toMatchObject({
      status: 403,
      body: { code: 'StepUpRequired', methods: ['totp', 'recovery_code'] },
    });
    expect((await org.admin.browser.get(org.path)).body.org.second_factor_required).toBe(false);

    const system = await loggedInAs(app, 'sys_admin');
    expect((await system.patch(org.path, REQUIRE)).body.code).toBe('NoSecondFactor');
  });

  it('is one to its members and admins alone', async () => {
    const [org, other] = [await newOrg(), await newOrg()];
    expect((await org.member.patch(org.path, REQUIRE)).status).toBe(403);
    expect((await other.admin.browser.patch(org.path, REQUIRE)).status).toBe(404);
    expect((await org.admin.browser.get(org.path)).body.org.second_factor_required).toBe(false);
  });

  it('refuses null, which is neither on nor off', async () => {
    const org = await newOrg();
    expect((await org.admin.browser.patch(org.path, { second_factor_required: null })).status).toBe(400);
  });

  it('is switched off only by a recent proof: the thief of a session must not weaken every login', async () => {
    const org = await newOrg({ isRequired: true });
    const off = { second_factor_required: false };
    await ageProof(app, org.admin.browser);
    expect(await org.admin.browser.patch(org.path, off)).toMatchObject({
      status: 403,
      body: { code: 'StepUpRequired' },
    });

    expect((await org.admin.browser.post('/auth/step-up', { totp: org.admin.app.code() })).status).toBe(200);
    expect((await org.admin.browser.patch(org.path, off)).body.org.second_factor_required).toBe(false);
    const { email } = org.member;
    expect((await app.browser().post('/auth/login', { email, password: PASSWORD })).status).toBe(200);
  });
});

describe('an organization that requires a second factor', () => {
  const accept = async (orgId: string, browser: Browser & { email: string }) =>
    browser.post('/invitations/accept', {
      token: await invitationFor(app.database, browser.email, orgId),
    });

  it('refuses the sessions without one of a user who joins, and ends none', async () => {
    const org = await newOrg({ isRequired: true });
    const user = await asMember(await loggedIn(app));
    const elsewhere = await loggedIn(app, user.email);

    const joined = await accept(org.id, user);
    expect(joined).toMatchObject({ status: 200, body: { user: { org_id: org.id } } });
    for (const browser of [user, elsewhere]) {
      expect((await browser.get('/users/me')).status).toBe(200);
      expect((await browser.get(org.path)).body.code).toBe('OrgPolicyUnmet');
    }
  });

  it('lets a user in who joins with one', async () => {
    const { id, path } = await newOrg({ isRequired: true });
    const { browser, email } = await appOwner(app);
    expect((await accept(id, Object.assign(browser, { email }))).status).toBe(200);
    expect((await browser.get(path)).status).toBe(200);
  });

  it('gives a new account no session, and its first login the set-up', async () => {
    const { id } = await newOrg({ isRequired: true });
    const email = `new-${id}@example.com`;
    const token = await invitationFor(app.database, email, id);
    const browser = app.browser();
    expect((await browser.post('/invitations/accept', { token, password: PASSWORD })).status).toBe(201);
    expect(browser.jar.size).toBe(0);
    const login = await browser.post('/auth/login', { email, password: PASSWORD });
    expect(login).toMatchObject({ status: 202, body: { pending_login: { next: 'setup' } } });
  });

  it('refuses to remove the last factor of a member, until they have left', async () => {
    const { id } = await newOrg({ isRequired: true });
    const owner = await appOwner(app);
    await moveTo(id, owner);
    expect((await owner.browser.delete('/users/me/totp')).body.code).toBe('LastSecondFactor');

    expect((await owner.browser.delete(`/orgs/${id}/members/${owner.id}`)).status).toBe(204);
    expect((await owner.browser.get('/users/me/factors')).body.factors.second_step).toBe('on');
    expect((await owner.browser.delete('/users/me/totp')).status).toBe(204);
  });

  it('asks for the factor of a member who has only a passkey, and lets no app be set up instead', async () => {
    const org = await newOrg();
    await addPasskey(org.member);
    await org.admin.browser.patch(org.path, REQUIRE);

    const thief = await pendingLogin(app, org.member);
    expect((await thief.get('/auth/pending-login')).body.pending_login).toMatchObject({
      next: 'second_factor',
      methods: ['passkey'],
    });
    expect(await thief.post('/auth/pending-login/totp')).toMatchObject({
      status: 409,
      body: { code: 'TotpAlreadyOn' },
    });
    expect((await thief.post(SECOND_FACTOR, { totp: '123456' })).body.code).toBe('InvalidCode');
  });

  it('shows admins which members have a factor', async () => {
    const org = await newOrg();
    const { browser } = org.admin;
    const shown = async () =>
      Object.fromEntries(
        (await browser.get(`${org.path}/members`)).body.data.map(
          (each: { id: string; has_factor: boolean }) => [each.id, each.has_factor],
        ),
      );
    expect(await shown()).toEqual({ [org.admin.id]: true, [org.member.id]: false });
    await org.member.post('/users/me/totp');
    expect((await shown())[org.member.id]).toBe(false);
    await addPasskey(org.member);
    expect((await shown())[org.member.id]).toBe(true);

    const system = await loggedInAs(app, 'sys_admin');
    for (const [user, hasFactor] of [
      [org.admin.id, true],
      [system.id, false],
    ])
      expect((await system.get(`/users/${user}`)).body.user.has_factor).toBe(hasFactor);
  });
});
