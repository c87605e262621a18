import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '../../src/config/event-types.js';
import {
  completedSignup,
  freshAddress,
  loggedIn,
  loggedInAs,
  PASSWORD,
  signedUp,
  verified,
} from '../support/accounts.js';
import { actingFor, REASON } from '../support/acting.js';
import { eventsAfter } from '../support/audit.js';
import { Authenticator } from '../support/authenticator.js';
import { type AppOwner, AuthenticatorApp, appOwner } from '../support/authenticator-app.js';
import { BackEnd } from '../support/back-end.js';
import type { Browser } from '../support/browser.js';
import type { IdentityProvider } from '../support/identity-provider.js';
import { loginThrough, startWithProvider } from '../support/identity-provider.js';
import { inLockStep } from '../support/lock-step.js';
import { asMember, foundOrg, invite } from '../support/orgs.js';
import { PasskeyOwner } from '../support/passkeys.js';
import type { TestApp } from '../support/test-app.js';
import { WITHOUT_LAST_SEEN } from '../support/test-database.js';
import { until } from '../support/until.js';
import { webhooks } from '../support/webhooks.js';

const CRON_SECRET = 'the secret of the scheduler that the tests know';
const NEW_PASSWORD = 'a wholly different phrase';
const ROLE = { name: 'Guest', base: 'readonly', permissions: [] };
const TABLES = [
  'users',
  'memberships',
  'signups',
  'sessions',
  'pending_logins',
  'organizations',
  'org_roles',
  'invitations',
  'identities',
  'passkeys',
  'totp_factors',
  'recovery_codes',
];

/** The ids that the event must hold; without one, it must hold none. */
interface Expected {
  details?: object;
  actor_id?: string;
  user_id?: string;
  org_id?: string;
}

/** Prepares what an act needs, and returns the act. */
type Arrange = () => Promise<() => Promise<Expected>>;

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
let backEnd: BackEnd;
beforeAll(async () => {
  backEnd = await BackEnd.start();
  ({ app, provider, stop } = await startWithProvider({
    SVC_EMAIL_CODE_LOGIN: 'on',
    SVC_CRON_SECRET: CRON_SECRET,
    SVC_ACTING: 'on',
    ...webhooks(
      { name: 'all', url: backEnd.url, secrets: backEnd.secrets, types: ['*'] },
      { name: 'some', types: ['member.*', 'logout'] },
    ),
  }));
  await app.database.rows(`
    CREATE TABLE failing (name text);
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF EXISTS (SELECT FROM failing WHERE name = TG_TABLE_NAME) THEN RAISE 'at the commit'; END IF; RETURN NULL; END $$`);
  for (const table of [...TABLES, 'one_time_tokens', 'audit_events'])
    await app.database.rows(`
      CREATE CONSTRAINT TRIGGER fails AFTER INSERT OR UPDATE OR DELETE ON ${table} DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION fail()`);
});
afterAll(async () => {
  await stop();
  await backEnd.close();
});

const idOf = (email: string) => app.database.value('SELECT id FROM users WHERE email = $1', [email]);
const newUser = async () => asMember(await loggedIn(app));

/** The ids of an event in which a user without an organization acts on their own account. */
const self = ({ id }: { id: string }) => ({ actor_id: id, user_id: id });

const sessionOf = async (browser: Browser) => (await browser.get('/users/me')).body.session.id;

/** The act of a user on their own passkey. */
const ofPasskey =
  (act: (browser: Browser, passkeyId: string) => Promise<unknown>): Arrange =>
  async () => {
    const { browser, id } = await PasskeyOwner.in(app);
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;
    return async () => {
      await act(browser, passkey.id);
      return { ...self({ id }), details: { passkey_id: passkey.id } };
    };
  };

/** The act of a user on the authenticator app they have. */
const ofApp =
  (act: (owner: AppOwner) => Promise<unknown>, details = {}): Arrange =>
  async () => {
    const owner = await appOwner(app);
    return async () => {
      await act(owner);
      return { ...self(owner), details };
    };
  };

/** The act of a user who is logged in, on their own account. */
const own =
  (act: (browser: Awaited<ReturnType<typeof newUser>>) => Promise<unknown>): Arrange =>
  async () => {
    const browser = await newUser();
    return async () => {
      await act(browser);
      return self(browser);
    };
  };

/** A SYSTEM_ADMIN who changes a user. */
const administered =
  (body: object, before?: object): Arrange =>
  async () => {
    const [admin, user] = [await loggedInAs(app, 'sys_admin'), await newUser()];
    if (before) await admin.patch(`/users/${user.id}`, before);
    return async () => {
      await admin.patch(`/users/${user.id}`, body);
      return { actor_id: admin.id, user_id: user.id };
    };
  };

/** An open invitation, and the act that settles it. */
const invited =
  (
    settle: (given: {
      org: Awaited<ReturnType<typeof foundOrg>>;
      token: string;
      email: string;
    }) => Promise<Expected>,
  ): Arrange =>
  async () => {
    const org = await foundOrg(app);
    const email = freshAddress();
    const token = await invite(app, org.admin, org.id, email);
    return async () => ({ org_id: org.id, ...(await settle({ org, token, email })) });
  };

/** An act on a signup of an address that has an account, which the event must not reveal. */
const unproven =
  (act: (email: string) => Promise<unknown>): Arrange =>
  async () => {
    const email = await verified(app);
    return async () => {
      await act(email);
      return {};
    };
  };

const CHANGES: [string, Arrange][] = [
  [
    'account.created, email.verified, login.succeeded',
    async () => {
      const browser = app.browser();
      const email = freshAddress();
      await browser.post('/auth/signup', { email, password: PASSWORD });
      const token = await app.mailbox.token(email);
      return async () => {
        await browser.post('/auth/verify-email', { token });
        return self({ id: await idOf(email) });
      };
    },
  ],
  [
    'login.succeeded',
    async () => {
      const email = await verified(app);
      return async () => self(await asMember(await loggedIn(app, email)));
    },
  ],
  [
    'logout',
    async () => {
      const browser = await newUser();
      const details = { session_id: await sessionOf(browser) };
      return async () => {
        await browser.post('/auth/logout');
        return { ...self(browser), details };
      };
    },
  ],
  ['signup.started', unproven((email) => signedUp(app, { email }))],
  [
    'signup.ended',
    async () => {
      const token = await app.mailbox.token(await signedUp(app));
      return async () => {
        await app.browser().post('/auth/secure-account', { token });
        return {};
      };
    },
  ],
  [
    'sessions.ended',
    async () => {
      const browser = await newUser();
      await loggedIn(app, browser.email);
      const details = { ended: 1, kept_session_id: await sessionOf(browser) };
      return async () => {
        await browser.delete('/sessions');
        return { ...self(browser), details };
      };
    },
  ],
  [
    'session.ended',
    async () => {
      const browser = await newUser();
      const id = await sessionOf(browser);
      return async () => {
        await browser.delete(`/sessions/${id}`);
        return { ...self(browser), details: { session_id: id } };
      };
    },
  ],
  ['account.exported', own((browser) => browser.get('/users/me/export'))],
  [
    'acting.started',
    async () => {
      const [admin, user] = [await loggedInAs(app, 'sys_admin'), await newUser()];
      return async () => {
        await actingFor(app, user, { admin });
        const { session } = (await admin.get('/users/me')).body;
        const details = {
          session_id: session.id,
          reason: REASON,
          write: false,
          expires_at: session.expires_at,
        };
        return { actor_id: admin.id, user_id: user.id, details };
      };
    },
  ],
  [
    'acting.ended',
    async () => {
      const user = await newUser();
      const { admin, sessionId } = await actingFor(app, user);
      return async () => {
        await admin.post('/auth/stop-acting');
        const details = { session_id: sessionId, admin_id: admin.id, acting_for: user.id };
        return { actor_id: admin.id, user_id: user.id, details };
      };
    },
  ],
  ['account.updated', own((browser) => browser.patch('/users/me', { name: 'Ada' }))],
  [
    'password.changed',
    async () => {
      const browser = await newUser();
      const details = { kept_session_id: await sessionOf(browser) };
      return async () => {
        await browser.post('/password/update', { current_password: PASSWORD, new_password: NEW_PASSWORD });
        return { ...self(browser), details };
      };
    },
  ],
  [
    'password.reset',
    async () => {
      const email = await verified(app);
      await app.browser().post('/password/forgot', { email });
      const token = await app.mailbox.token(email);
      return async () => {
        await app.browser().post('/password/reset', { token, new_password: NEW_PASSWORD });
        return { user_id: await idOf(email) };
      };
    },
  ],
  [
    'password.removed',
    async () => {
      const { browser, id } = await PasskeyOwner.in(app);
      const details = { kept_session_id: await sessionOf(browser) };
      return async () => {
        await browser.send('DELETE', '/password', { current_password: PASSWORD });
        return { ...self({ id }), details };
      };
    },
  ],
  [
    'account.secured',
    async () => {
      const { email, id } = await newUser();
      await loggedIn(app, email);
      const [, token] = /secure-account\?token=(\S+)/.exec((await app.mailbox.last(email)).text) ?? [];
      return async () => {
        await app.browser().post('/auth/secure-account', { token });
        return { user_id: id };
      };
    },
  ],
  [
    'email.change_requested',
    own((browser) =>
      browser.post('/users/me/email', { new_email: freshAddress(), current_password: PASSWORD }),
    ),
  ],
  [
    'email.changed',
    async () => {
      const [browser, new_email] = [await newUser(), freshAddress()];
      await browser.post('/users/me/email', { new_email, current_password: PASSWORD });
      const token = await app.mailbox.token(new_email);
      return async () => {
        await browser.post('/users/me/email/confirm', { token });
        return self(browser);
      };
    },
  ],
  ['account.deleted', own((browser) => browser.send('DELETE', '/users/me', { current_password: PASSWORD }))],
  ['role.changed', administered({ role: 'readonly' })],
  ['account.disabled', administered({ disabled: true })],
  ['account.enabled', administered({ disabled: false }, { disabled: true })],
  [
    'org.created, invitation.sent',
    async () => {
      const admin = await loggedInAs(app, 'sys_admin');
      return async () => {
        const { body } = await admin.post('/orgs', { name: 'Initech', admin_email: freshAddress() });
        return { actor_id: admin.id, org_id: body.org?.id };
      };
    },
  ],
  [
    'org.created, member.joined',
    async () => {
      const browser = await newUser();
      return async () => {
        const { body } = await browser.post('/users/me/org', { name: 'Initech' });
        return { ...self(browser), org_id: body.org?.id };
      };
    },
  ],
  [
    'org.updated',
    async () => {
      const { id, admin } = await foundOrg(app);
      return async () => {
        await admin.patch(`/orgs/${id}`, { name: 'Initech' });
        return { actor_id: admin.id, org_id: id };
      };
    },
  ],
  [
    'org.policy_changed',
    async () => {
      const { id, admin } = await foundOrg(app);
      return async () => {
        await admin.patch(`/orgs/${id}/policy`, { idle_minutes: 30 });
        return { actor_id: admin.id, org_id: id };
      };
    },
  ],
  [
    'custom_role.made',
    async () => {
      const { id, admin } = await foundOrg(app);
      return async () => {
        await admin.post(`/orgs/${id}/roles`, ROLE);
        return { actor_id: admin.id, org_id: id };
      };
    },
  ],
  [
    'custom_role.changed',
    async () => {
      const { id, admin } = await foundOrg(app);
      const { role } = (await admin.post(`/orgs/${id}/roles`, ROLE)).body;
      return async () => {
        await admin.patch(`/orgs/${id}/roles/${role.id}`, { name: 'Reader' });
        return { actor_id: admin.id, org_id: id };
      };
    },
  ],
  [
    'custom_role.removed',
    async () => {
      const { id, admin } = await foundOrg(app);
      const { role } = (await admin.post(`/orgs/${id}/roles`, ROLE)).body;
      return async () => {
        await admin.delete(`/orgs/${id}/roles/${role.id}`);
        return { actor_id: admin.id, org_id: id };
      };
    },
  ],
  [
    'member.suspended',
    async () => {
      const { id, admin, member } = await foundOrg(app);
      return async () => {
        await admin.patch(`/orgs/${id}/members/${member.id}`, { suspended: true });
        return { actor_id: admin.id, user_id: member.id, org_id: id };
      };
    },
  ],
  [
    'member.resumed',
    async () => {
      const { id, admin, member } = await foundOrg(app);
      await admin.patch(`/orgs/${id}/members/${member.id}`, { suspended: true });
      return async () => {
        await admin.patch(`/orgs/${id}/members/${member.id}`, { suspended: false });
        return { actor_id: admin.id, user_id: member.id, org_id: id };
      };
    },
  ],
  [
    'org.deleted',
    async () => {
      const [{ id }, admin] = [await foundOrg(app), await loggedInAs(app, 'sys_admin')];
      await app.database.rows('DELETE FROM memberships WHERE org_id = $1', [id]);
      return async () => {
        await admin.delete(`/orgs/${id}`);
        return { actor_id: admin.id, org_id: id };
      };
    },
  ],
  [
    'invitation.sent',
    invited(async ({ org: { id, admin } }) => {
      await admin.post(`/orgs/${id}/invitations`, { email: freshAddress(), role: 'member' });
      return { actor_id: admin.id };
    }),
  ],
  [
    'invitation.revoked',
    invited(async ({ org: { id, admin } }) => {
      const { body } = await admin.get(`/orgs/${id}/invitations?status=pending`);
      await admin.delete(`/orgs/${id}/invitations/${body.data[0].id}`);
      return { actor_id: admin.id };
    }),
  ],
  [
    'invitation.declined',
    invited(async ({ token }) => {
      await app.browser().post('/invitations/decline', { token });
      return {};
    }),
  ],
  [
    'member.joined',
    async () => {
      const [org, browser] = [await foundOrg(app), await newUser()];
      const token = await invite(app, org.admin, org.id, browser.email);
      return async () => {
        await browser.post('/invitations/accept', { token });
        return { ...self(browser), org_id: org.id };
      };
    },
  ],
  [
    'member.removed',
    async () => {
      const { id, admin, member } = await foundOrg(app);
      return async () => {
        await admin.delete(`/orgs/${id}/members/${member.id}`);
        return { actor_id: admin.id, user_id: member.id, org_id: id };
      };
    },
  ],
  [
    'identity.unlinked',
    async () => {
      const email = await verified(app);
      const browser = app.browser();
      await loginThrough(provider, browser, { sub: freshAddress(), email, email_verified: true });
      const { id } = (await browser.get('/users/me/identities')).body.data[0];
      return async () => {
        await browser.delete(`/users/me/identities/${id}`);
        return self({ id: await idOf(email) });
      };
    },
  ],
  [
    'passkey.added',
    async () => {
      const browser = await newUser();
      const { body } = await browser.post('/users/me/passkeys/options');
      const credential = new Authenticator().create(body.options);
      return async () => {
        const made = await browser.post('/users/me/passkeys', { credential });
        return {
          ...self(browser),
          ...(made.status === 201 && { details: { passkey_id: made.body.passkey.id } }),
        };
      };
    },
  ],
  [
    'passkey.renamed',
    ofPasskey((browser, id) => browser.patch(`/users/me/passkeys/${id}`, { name: 'The blue key' })),
  ],
  ['passkey.removed', ofPasskey((browser, id) => browser.delete(`/users/me/passkeys/${id}`))],
  [
    'second_step.on',
    async () => {
      const browser = await newUser();
      const { body } = await browser.post('/users/me/totp');
      const authenticatorApp = new AuthenticatorApp(body.secret);
      const details = { kept_session_id: await sessionOf(browser) };
      return async () => {
        await browser.post('/users/me/totp/confirm', { code: authenticatorApp.code() });
        return { ...self(browser), details };
      };
    },
  ],
  ['second_step.off', ofApp(({ browser }) => browser.delete('/users/me/totp'))],
  ['recovery_codes.made', ofApp(({ browser }) => browser.post('/users/me/recovery-codes'))],
  [
    'recovery_code.used, login.succeeded',
    async () => {
      const { email, id, recoveryCodes } = await appOwner(app);
      const browser = app.browser();
      await browser.post('/auth/login', { email, password: PASSWORD });
      return async () => {
        await browser.post('/auth/pending-login/second-factor', { recovery_code: recoveryCodes[0] });
        return self({ id });
      };
    },
  ],
  [
    'factors.reset',
    async () => {
      const [admin, { id }] = [await loggedInAs(app, 'sys_admin'), await appOwner(app)];
      return async () => {
        await admin.delete(`/users/${id}/factors`);
        return { actor_id: admin.id, user_id: id };
      };
    },
  ],
];

const NO_CHANGES: [string, Arrange][] = [
  [
    'login.failed',
    async () => {
      const email = await verified(app);
      return async () => {
        await app.browser().post('/auth/login', { email, password: 'a wrong one' });
        return { user_id: await idOf(email) };
      };
    },
  ],
  [
    'password.link_requested',
    async () => {
      const email = await verified(app);
      return async () => {
        await app.browser().post('/password/forgot', { email });
        return { user_id: await idOf(email) };
      };
    },
  ],
  [
    'email_code.requested',
    async () => {
      const email = await verified(app);
      return async () => {
        await app.browser().post('/auth/email-code', { email });
        return { user_id: await idOf(email) };
      };
    },
  ],
  ['access.refused', own((browser) => browser.get('/users'))],
  [
    'cron.ran',
    async () => async () => {
      await app.browser({ authorization: `Bearer ${CRON_SECRET}` }).post('/cron');
      return {};
    },
  ],
];

const fail = (tables: string[]) =>
  app.database.rows('INSERT INTO failing SELECT unnest($1::text[])', [tables]);

/** How many events and deliveries there are. */
const count = () =>
  app.database.rows(
    `SELECT (SELECT count(*) FROM audit_events)::int AS events,
            (SELECT count(*) FROM webhook_deliveries)::int AS deliveries`,
  );

/** Which endpoint is sent which event of those after an id. */
const deliveriesAfter = async (eventId: string | null) =>
  (
    await app.database.rows(
      `SELECT e.type || ' to ' || d.endpoint AS text FROM webhook_deliveries d JOIN audit_events e ON e.id = d.event_id
        WHERE $1::uuid IS NULL OR e.id > $1 ORDER BY d.id`,
      [eventId],
    )
  ).map(({ text }) => text);

/** To whom the events of some types go. */
const deliveriesOf = (types: string[]) =>
  types
    .filter((type) => (EVENT_TYPES as string[]).includes(type))
    .flatMap((type) => {
      const isForSome = type.startsWith('member.') || type === 'logout';
      return [`${type} to all`, ...(isForSome ? [`${type} to some`] : [])];
    });

/** What all tables hold that an act may change. */
async function state(): Promise<unknown[]> {
  const rows = (table: string) =>
    app.database.rows(`SELECT (${WITHOUT_LAST_SEEN})::text FROM ${table} t ORDER BY 1`);
  return Promise.all(TABLES.map(rows));
}

async function expectEvent(types: string, act: () => Promise<Expected>): Promise<void> {
  let expected: Expected = {};
  const last = await app.database.value('SELECT id FROM audit_events ORDER BY id DESC LIMIT 1');
  const events = await eventsAfter(app, async () => {
    expected = await act();
  });
  expect(events.map(({ type }) => type).join(', ')).toBe(types);
  expect(await deliveriesAfter(last)).toEqual(deliveriesOf(types.split(', ')));
  const from = { ip: '127.0.0.1', user_agent: 'lightMyRequest' };
  for (const event of events)
    expect(event).toMatchObject({ actor_id: null, user_id: null, org_id: null, ...from, ...expected });
}

describe('an act that changes something', () => {
  it.each(CHANGES)(
    'is committed with %s in the audit log and its deliveries, or none is',
    async (types, arrange) => {
      const act = await arrange();
      const [before, eventsBefore] = [await state(), await count()];

      await fail([...TABLES, 'one_time_tokens']);
      await act().catch(() => {});
      await app.database.rows('TRUNCATE failing');
      expect(await count()).toEqual(eventsBefore);

      await fail(['audit_events']);
      await act().catch(() => {});
      await app.database.rows('TRUNCATE failing');
      expect(await state()).toEqual(before);

      await expectEvent(types, act);
    },
  );
});

describe('an act that changes nothing', () => {
  it.each(NO_CHANGES)('adds %s to the audit log', async (types, arrange) =>
    expectEvent(types, await arrange()),
  );
});

describe('the end of sessions', () => {
  it('adds one event for two logouts at once, and none when there is no session to end', async () => {
    const browser = await newUser();

    const events = await eventsAfter(app, async () => {
      await browser.delete('/sessions');
      const sql = 'SELECT 1 FROM sessions WHERE user_id = $1 FOR UPDATE';
      const barrier = { sql, parameters: [browser.id], waiting: 2 };
      const logout = () => browser.post('/auth/logout');
      await inLockStep(app.database, barrier, () => [logout(), logout()]);
    });

    expect(events.map(({ type }) => type)).toEqual(['logout']);
  });
});

describe('an invitation that is accepted with a new account', () => {
  it('records the account and the membership', async () => {
    const { id: orgId, admin } = await foundOrg(app);
    const email = freshAddress();
    const token = await invite(app, admin, orgId, email);

    const events = await eventsAfter(app, () =>
      app.browser().post('/invitations/accept', { token, password: PASSWORD }),
    );

    const userId = await idOf(email);
    expect(events).toMatchObject([
      { type: 'account.created', user_id: userId },
      { type: 'member.joined', user_id: userId, org_id: orgId },
    ]);
  });
});

describe('an organization that is deleted', () => {
  it('has the removal of each member recorded, and then its own end', async () => {
    const [{ id: orgId, ...members }, admin] = [await foundOrg(app), await loggedInAs(app, 'sys_admin')];

    const last = await app.database.value('SELECT id FROM audit_events ORDER BY id DESC LIMIT 1');
    const events = await eventsAfter(app, () => admin.delete(`/orgs/${orgId}`));

    const about = { actor_id: admin.id, org_id: orgId };
    expect(await deliveriesAfter(last)).toEqual(deliveriesOf(events.map(({ type }) => type)));
    expect(events).toMatchObject([
      ...[members.admin, members.member, members.readonly].map(({ id }) => ({
        type: 'member.removed',
        ...about,
        user_id: id,
      })),
      { type: 'org.deleted', ...about, user_id: null },
    ]);
  });
});

describe('the last account of an organization', () => {
  it('has its own end and that of the organization recorded when it is deleted', async () => {
    const { id: orgId, admin, member, readonly } = await foundOrg(app);
    for (const { id } of [member, readonly]) await admin.delete(`/orgs/${orgId}/members/${id}`);

    const events = await eventsAfter(app, () =>
      admin.send('DELETE', '/users/me', { current_password: PASSWORD }),
    );

    expect(events).toMatchObject([
      { type: 'member.removed', user_id: admin.id, org_id: orgId },
      { type: 'account.deleted', user_id: admin.id, org_id: orgId },
      { type: 'org.deleted', org_id: orgId },
    ]);
  });
});

describe('signup-org', () => {
  it('records that a signup has started, and once it is completed the account, the organization and the login', async () => {
    const signup = { path: '/auth/signup-org', org_name: 'Initech' };

    const events = await eventsAfter(app, () => completedSignup(app, signup));

    expect(events.map(({ type }) => type).sort()).toEqual([
      'account.created',
      'email.verified',
      'login.succeeded',
      'member.joined',
      'org.created',
      'signup.started',
    ]);
  });
});

describe('a login through the provider', () => {
  it('records how the account was created, and the login', async () => {
    const [sub, email] = [freshAddress(), await verified(app)];
    const types = async (who: { sub: string; email: string }) => {
      const login = () => loginThrough(provider, app.browser(), { ...who, email_verified: true });
      return (await eventsAfter(app, login)).map(({ type }) => type);
    };

    expect(await types({ sub, email })).toEqual(['login.succeeded', 'identity.linked']);
    expect(await types({ sub, email })).toEqual(['login.succeeded']);
    expect(await types({ sub: freshAddress(), email: freshAddress() })).toEqual([
      'account.created',
      'login.succeeded',
    ]);
  });
});

/** Billing has tests of its own. */
const ELSEWHERE = ['dunning.mailed', 'subscription.changed'];

describe('a back end that wants all types', () => {
  it('has been sent each event that is to be sent, each type among them, and nothing else', async () => {
    const recorded = await app.database.rows(
      'SELECT id, type FROM audit_events WHERE type = ANY ($1) ORDER BY id',
      [EVENT_TYPES],
    );
    const received = () => new Set(backEnd.requests.map(({ headers }) => headers['webhook-id']));
    await until(() => received().size >= recorded.length);

    expect(backEnd.requests.filter(({ event }) => event instanceof Error)).toEqual([]);
    expect([...received()].sort()).toEqual(recorded.map(({ id }) => id));
    const types = EVENT_TYPES.filter((type) => !ELSEWHERE.includes(type));
    expect([...new Set(backEnd.events.map(({ type }) => type))].sort()).toEqual(types.sort());
  });
});
