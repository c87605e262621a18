import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn, loggedInAs, PASSWORD } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import { Authenticator } from '../support/authenticator.js';
import { foundOrg, type Member, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

// What an organization asks of the sessions that enter it binds requests into it alone, from the next one on.

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await TestApp.start({ SVC_TRUSTED_PROXIES: 'none' });
});
afterAll(() => app.close());
beforeEach(async () => {
  org = await foundOrg(app);
});

const policyOf = async ({ id, admin }: TestOrg) => (await admin.get(`/orgs/${id}/policy`)).body.policy;

const set = (change: object, by: Member = org.admin) => by.patch(`/orgs/${org.id}/policy`, change);

/** Sets a policy that its admin may not meet. */
const impose = (column: string, value: unknown) =>
  app.database.rows(`UPDATE organizations SET ${column} = $2 WHERE id = $1`, [org.id, value]);

const enter = (member: Member = org.member) => member.get(`/orgs/${org.id}`);

const sessionOf = (member: Member, change: string) =>
  app.database.rows(`UPDATE sessions SET ${change} WHERE user_id = $1`, [member.id]);

const unmetOf = async (member: Member) => (await member.get('/users/me')).body.organizations[0].unmet;

const stepUp = (member: Member) => member.post('/auth/step-up', { password: PASSWORD });

async function addPasskey(member: Member) {
  const { options } = (await member.post('/users/me/passkeys/options')).body;
  const credential = new Authenticator().create(options);
  expect((await member.post('/users/me/passkeys', { credential })).status).toBe(201);
}

const NOTHING = {
  second_factor: false,
  idle_minutes: null,
  age_minutes: null,
  login_methods: null,
  networks: null,
  acting: true,
};

describe('the policy of an organization', () => {
  it('asks for nothing at first, is changed field by field, and null takes one away', async () => {
    expect(await policyOf(org)).toEqual(NOTHING);

    expect(await set({ idle_minutes: 30, networks: ['127.0.0.0/8', '2001:DB8:0::/32'] })).toMatchObject({
      status: 200,
      body: { policy: { ...NOTHING, idle_minutes: 30, networks: ['127.0.0.0/8', '2001:db8::/32'] } },
    });
    expect((await set({ age_minutes: 60, login_methods: ['passkey', 'password'] })).status).toBe(200);
    expect((await set({ idle_minutes: null, networks: null })).status).toBe(200);
    expect(await policyOf(org)).toEqual({
      ...NOTHING,
      age_minutes: 60,
      login_methods: ['passkey', 'password'],
    });
  });

  it.each([
    ['idle_minutes', 4],
    ['idle_minutes', 43_201],
    ['idle_minutes', 5.5],
    ['age_minutes', 14],
    ['second_factor', null],
    ['acting', null],
    ['login_methods', []],
    ['login_methods', ['password', 'password']],
    ['login_methods', ['sms']],
    ['networks', []],
    ['networks', ['10.0.0.0/0']],
    ['networks', ['10.0.0.1/8']],
    ['networks', ['10.0.0.0']],
    ['networks', ['::ffff:10.0.0.0/104']],
    ['networks', ['fe80::1%eth0/128']],
    ['networks', ['example.com']],
    ['networks', Array.from({ length: 51 }, (_, each) => `10.${each}.0.0/16`)],
    ['networks', '10.0.0.0/8'],
  ])('refuses %s of %j, and stays as it was', async (field, value) => {
    expect(await set({ [field]: value })).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed', errors: [{ field }] },
    });
    expect(await policyOf(org)).toEqual(NOTHING);
  });

  it('is read and changed by its admins and SYSTEM_ADMINs alone, after a recent proof', async () => {
    const [foreign, root] = [await foundOrg(app), await loggedInAs(app, 'sys_admin')];
    expect((await set({ idle_minutes: 30 }, org.member)).body.code).toBe('InsufficientRole');
    expect((await org.member.get(`/orgs/${org.id}/policy`)).status).toBe(403);
    expect((await set({ idle_minutes: 30 }, foreign.admin)).status).toBe(404);
    await sessionOf(org.admin, `authenticated_at = now() - interval '11 minutes'`);
    expect((await set({ idle_minutes: 30 })).body.code).toBe('StepUpRequired');
    expect(await policyOf(org)).toEqual(NOTHING);

    expect((await set({ idle_minutes: 30 }, root)).status).toBe(200);
  });

  it('is recorded with what it was, and told to each of its admins, who can undo it', async () => {
    const other = await foundOrg(app);
    await app.database.rows('UPDATE memberships SET org_id = $1 WHERE user_id = $2', [
      org.id,
      other.admin.id,
    ]);
    await set({ idle_minutes: 30 });

    const events = await eventsAfter(app, async () => {
      await set({ idle_minutes: 15, login_methods: ['password', 'idp'] });
      // Nothing changes.
      await set({ idle_minutes: 15 });
    });

    expect(events).toMatchObject([
      {
        type: 'org.policy_changed',
        org_id: org.id,
        details: {
          idle_minutes: 15,
          former_idle_minutes: 30,
          login_methods: 'password idp',
          former_login_methods: null,
        },
      },
    ]);
    const subject = 'Your organization changed its rules for access';
    const [own, theirs] = [
      await app.mailbox.last(org.admin.email),
      await app.mailbox.last(other.admin.email),
    ];
    expect([own.subject, theirs.subject]).toEqual([subject, subject]);
    expect(own.text).toContain('/secure-account?token=');
    expect(theirs.text.replaceAll('\u200b', '')).toContain(`${org.admin.email} changed what`);
    expect(theirs.text).not.toContain('token=');
    for (const { text } of [own, theirs]) {
      expect(text).toContain('“Analytical”');
      expect(text).toMatch(/These rules changed:\s+The longest pause\s+The ways to log in\s/);
    }
    expect(theirs.text).toContain('If the new rules keep you out');
    expect(theirs.text).toContain('org-policy --clear');
  });
});

describe('an admin who would lock themselves out', () => {
  it.each([
    [{ second_factor: true }, 'NoSecondFactor'],
    [{ networks: ['192.0.2.0/24'] }, 'PolicyExcludesYou'],
    [{ login_methods: ['idp', 'passkey'] }, 'PolicyExcludesYou'],
  ])('is refused %j', async (change, code) => {
    expect(await set(change)).toMatchObject({ status: 409, body: { code } });
    expect(await policyOf(org)).toEqual(NOTHING);
  });

  it('reads from where they come, and which network of the list lets them in', async () => {
    const callerOf = async () => (await org.admin.get(`/orgs/${org.id}/policy`)).body.caller;
    expect(await callerOf()).toEqual({ ip: '127.0.0.1', network: null });

    const answer = await set({ networks: ['192.0.2.0/24', '127.0.0.0/8', '127.0.0.1/32'] });
    expect(answer.body.caller).toEqual({ ip: '127.0.0.1', network: '127.0.0.0/8' });
    expect(await callerOf()).toEqual({ ip: '127.0.0.1', network: '127.0.0.0/8' });
  });

  it('is let out again by a SYSTEM_ADMIN, whom no policy binds', async () => {
    const root = await loggedInAs(app, 'sys_admin');
    expect((await set({ networks: ['192.0.2.0/24'] }, root)).status).toBe(200);
    expect((await enter(org.admin)).body).toMatchObject({
      code: 'OrgPolicyUnmet',
      org_id: org.id,
      unmet: ['networks'],
      cure: 'none',
    });

    expect((await set({ networks: null }, root)).status).toBe(200);
    expect((await enter(org.admin)).status).toBe(200);
  });
});

describe('a session that an organization asks more of', () => {
  it('that paused too long proves who its user is, and goes on', async () => {
    await impose('policy_idle_minutes', 5);
    await sessionOf(org.member, `last_seen_at = now() - interval '5 minutes 50 seconds'`);
    expect((await enter()).status).toBe(200);
    await sessionOf(org.member, `last_seen_at = now() - interval '6 minutes 5 seconds'`);

    expect(await unmetOf(org.member)).toEqual(['idle_minutes']);
    expect((await enter()).body).toMatchObject({
      code: 'StepUpRequired',
      methods: ['password'],
      org_id: org.id,
      unmet: ['idle_minutes'],
    });
    expect((await stepUp(org.member)).status).toBe(200);
    expect((await enter()).status).toBe(200);
  });

  it('that paused stays refused, whatever it does elsewhere meanwhile', async () => {
    await impose('policy_idle_minutes', 5);
    await sessionOf(org.member, `last_seen_at = now() - interval '1 hour'`);
    await org.member.get('/users/me');
    await until(
      async () =>
        (await app.database.value('SELECT longest_idle FROM sessions WHERE user_id = $1', [org.member.id])) >
        3_500,
    );

    expect((await enter()).body.unmet).toEqual(['idle_minutes']);
    expect((await org.member.get('/sessions')).status).toBe(200);
  });

  it('whose proof is too old gives another one', async () => {
    await impose('policy_age_minutes', 15);
    expect((await enter()).status).toBe(200);
    await sessionOf(org.member, `authenticated_at = now() - interval '16 minutes'`);

    expect((await enter()).body).toMatchObject({ code: 'StepUpRequired', unmet: ['age_minutes'] });
    await stepUp(org.member);
    expect((await enter()).status).toBe(200);
  });

  it('is offered the ways that a step-up takes, and no other', async () => {
    await addPasskey(org.member);
    // Left over from a second step that was turned off since.
    await app.database.rows(
      `INSERT INTO recovery_codes (user_id, code_hash) VALUES ($1, decode(repeat('00', 32), 'hex'))`,
      [org.member.id],
    );
    await impose('policy_age_minutes', 15);
    await sessionOf(org.member, `authenticated_at = now() - interval '16 minutes'`);
    const codeOf = async (proof: object) => (await org.member.post('/auth/step-up', proof)).body.code;

    expect((await enter()).body).toMatchObject({ code: 'StepUpRequired', methods: ['password', 'passkey'] });
    expect(await codeOf({ recovery_code: 'AAAA-AAAA-AAAA-AAAA' })).toBe('StepUpRequired');
    expect(await codeOf({ password: 'a wrong password' })).toBe('IncorrectPassword');
  });

  it('that began in a way that does not count proves itself in one that does, or logs in again', async () => {
    await impose('policy_login_methods', ['password']);
    await sessionOf(org.member, `auth_method = 'idp'`);
    expect((await enter()).body).toMatchObject({ code: 'StepUpRequired', methods: ['password'] });
    await stepUp(org.member);
    expect((await enter()).status).toBe(200);

    await impose('policy_login_methods', ['passkey']);
    expect((await enter()).body).toMatchObject({
      code: 'OrgPolicyUnmet',
      unmet: ['login_methods'],
      cure: 'log_in',
    });
    await addPasskey(org.member);
    expect((await enter()).body).toMatchObject({ code: 'StepUpRequired', methods: ['passkey'] });
  });

  it('of a back end is judged at the check, and its refusal is one of the organization', async () => {
    await impose('policy_networks', ['192.0.2.0/24']);

    expect((await org.member.get('/sessions/verify')).body.code).toBe('OrgPolicyUnmet');
    await until(
      async () =>
        (await app.database.value(
          `SELECT count(*)::int FROM audit_events WHERE type = 'access.refused' AND org_id = $1 AND user_id = $2`,
          [org.id, org.member.id],
        )) === 1,
    );
    expect((await org.member.get('/sessions')).status).toBe(200);
    expect((await org.member.delete(`/orgs/${org.id}/members/${org.member.id}`)).status).toBe(204);
  });

  it('is told at its login what the organization asks for', async () => {
    await impose('policy_login_methods', ['idp']);
    const answer = await app.browser().post('/auth/login', { email: org.member.email, password: PASSWORD });

    expect(answer.body.organizations).toMatchObject([{ id: org.id, unmet: ['login_methods'] }]);
  });
});

describe('an account with a passkey, of an organization that the password does not open', () => {
  it('takes a second step at each login by password, lest a thief of that adds a passkey of their own', async () => {
    await addPasskey(org.member);
    const logIn = () => app.browser().post('/auth/login', { email: org.member.email, password: PASSWORD });
    expect((await logIn()).status).toBe(200);

    await impose('policy_login_methods', ['passkey', 'idp']);
    expect((await logIn()).status).toBe(202);
    await impose('policy_login_methods', ['passkey', 'password']);
    expect((await logIn()).status).toBe(200);
  });
});

describe('networks where the settings do not say what stands in front', () => {
  it('are refused, and those of before admit nobody', async () => {
    const unsaid = await TestApp.start({ SVC_ENVIRONMENT: 'beta' }, { database: app.database });
    const networks = ['127.0.0.0/8'];
    const admin = await loggedIn(unsaid, org.admin.email);
    const refused = await admin.patch(`/orgs/${org.id}/policy`, { networks });
    expect(refused).toMatchObject({ status: 409, body: { code: 'AddressesUnknown' } });
    expect((await set({ networks })).status).toBe(200);

    expect((await enter()).status).toBe(200);
    expect((await admin.get(`/orgs/${org.id}`)).body.unmet).toEqual(['networks']);
    await unsaid.nest.close();
  });
});
