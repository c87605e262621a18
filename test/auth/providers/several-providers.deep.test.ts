import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress } from '../../support/accounts.js';
import type { Browser } from '../../support/browser.js';
import {
  callbackAs,
  callbackOf,
  failure,
  IdentityProvider,
  loginThrough,
  type ProviderAccount,
} from '../../support/identity-provider.js';
import { linkIn } from '../../support/mails.js';
import { foundOrg } from '../../support/orgs.js';
import { TestApp } from '../../support/test-app.js';

const WELCOME = { status: 302, headers: { location: 'http://localhost:5173/' } };
const VOUCHED = 'contoso.example';

let app: TestApp;
/** The provider of SVC_IDP_CLIENT_ID, and one of SVC_IDP_OTHERS. */
let first: IdentityProvider;
let staff: IdentityProvider;
beforeAll(async () => {
  [first, staff] = await Promise.all([IdentityProvider.start(), IdentityProvider.start(callbackOf('staff'))]);
  app = await TestApp.start({
    ...first.variables,
    SVC_IDP_OTHERS: JSON.stringify([{ ...staff.entry, vouched_domains: [VOUCHED] }]),
    SVC_LOG_LEVEL: 'warn',
  });
});
afterAll(async () => {
  await app.close();
  await Promise.all([first.stop(), staff.stop()]);
});
beforeEach(() => {
  for (const provider of [first, staff]) provider.asked.length = 0;
});

const newAccount = (claims: Partial<ProviderAccount> = {}): ProviderAccount => ({
  sub: `subject of ${freshAddress()}`,
  email: freshAddress(),
  email_verified: true,
  ...claims,
});
const identitiesOf = (email: string | undefined) =>
  app.database.rows(
    'SELECT provider, subject FROM identities JOIN users ON users.id = user_id WHERE users.email = $1 ORDER BY 1',
    [email],
  );
const wasAskedForTokens = (provider: IdentityProvider) => provider.asked.includes('/token');

/** A callback with some parameters set otherwise; those of undefined go. */
function changed(callback: string, changes: Record<string, string | undefined>): string {
  const url = new URL(callback, 'http://x');
  for (const [name, value] of Object.entries(changes))
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  return url.pathname + url.search;
}
const parameter = (callback: string, name: string) =>
  new URL(callback, 'http://x').searchParams.get(name) ?? '';

// Passport knows one strategy of a name in a process.
describe('two services in one process', () => {
  it('each log users in through their own provider, also when they come back at once', async () => {
    const abroad = await IdentityProvider.start();
    const other = await TestApp.start(abroad.variables, { database: app.database });

    const comeBack = async (service: TestApp, provider: IdentityProvider) => {
      const browser = service.browser();
      const callback = await callbackAs(provider, browser, newAccount());
      return () => browser.get(callback);
    };
    const callbacks = await Promise.all([
      comeBack(app, first),
      comeBack(other, abroad),
      comeBack(app, staff),
    ]);

    for (const answer of await Promise.all(callbacks.map((back) => back())))
      expect(answer).toMatchObject(WELCOME);
    expect([first, abroad, staff].map(wasAskedForTokens)).toEqual([true, true, true]);
    await other.nest.close();
    await abroad.stop();
  });
});

describe('two providers', () => {
  it('each log users in at a redirect URI of its own', async () => {
    for (const [provider, id] of [
      [first, 'idp'],
      [staff, 'staff'],
    ] as const) {
      const browser = app.browser();
      const { body } = await browser.get(`/auth/oauth/${id}/authorize-url?return_to=/welcome`);
      const query = new URL(body.authorization_url).searchParams;
      expect(query.get('redirect_uri')).toBe(`http://localhost:3000/auth/oauth/${id}/callback`);
      expect(query.get('code_challenge_method')).toBe('S256');

      const who = newAccount();
      const callback = await provider.authorize(body.authorization_url, who);
      expect((await browser.get(callback)).headers.location).toBe('http://localhost:5173/welcome');
      expect((await browser.get('/users/me')).body).toMatchObject({
        user: { email: who.email },
        session: { auth_method: 'idp' },
      });
    }
  });

  it('may know one account, each under a subject of its own', async () => {
    const email = freshAddress();
    const [here, there] = [newAccount({ email }), newAccount({ email })];

    await loginThrough(first, app.browser(), here);
    await loginThrough(staff, app.browser(), there);

    const identities = [
      { provider: first.issuer, subject: here.sub },
      { provider: staff.issuer, subject: there.sub },
    ];
    expect(await identitiesOf(email)).toEqual(
      identities.sort((one, other) => one.provider.localeCompare(other.provider)),
    );
    const subjects = (await app.mailbox.to(email)).map(({ subject }) => subject);
    expect(subjects).toContain('A new way to log in to your account');
  });

  it('are not confused where both know a subject of the same name', async () => {
    const [here, there] = [newAccount({ sub: 'ada' }), newAccount({ sub: 'ada' })];
    const browsers = [app.browser(), app.browser()] as const;

    await loginThrough(first, browsers[0], here);
    await loginThrough(staff, browsers[1], there);

    for (const [browser, { email }] of [
      [browsers[0], here],
      [browsers[1], there],
    ] as const)
      expect((await browser.get('/users/me')).body.user.email).toBe(email);
  });

  it('have one identity of an account each: another subject at the same provider is refused', async () => {
    const email = freshAddress();
    await loginThrough(first, app.browser(), newAccount({ email }));
    await loginThrough(staff, app.browser(), newAccount({ email }));

    expect(await loginThrough(staff, app.browser(), newAccount({ email }))).toMatchObject(
      failure('account_conflict'),
    );
    expect(await identitiesOf(email)).toHaveLength(2);
  });

  it('make one account of an address that comes through both at once', async () => {
    const email = freshAddress();
    const logins = await Promise.all(
      [first, staff].map(async (provider) => {
        const browser = app.browser();
        return { browser, callback: await callbackAs(provider, browser, newAccount({ email })) };
      }),
    );

    const answers = await Promise.all(logins.map(({ browser, callback }) => browser.get(callback)));

    for (const answer of answers) expect(answer).toMatchObject(WELCOME);
    expect(await identitiesOf(email)).toHaveLength(2);
  });

  it('both require an address that they have verified', async () => {
    for (const provider of [first, staff])
      expect(
        await loginThrough(provider, app.browser(), newAccount({ email_verified: undefined })),
      ).toMatchObject(failure('email_not_verified'));
  });
});

describe('the state of a login', () => {
  it('is worth nothing at the callback of another provider, and stays good at that of its own', async () => {
    const browser = app.browser();
    const callback = await callbackAs(staff, browser, newAccount());

    const elsewhere = callback.replace('/staff/', '/idp/');
    expect(await browser.get(elsewhere)).toMatchObject(failure('invalid_state'));
    expect(await browser.get(changed(elsewhere, { iss: first.issuer }))).toMatchObject(
      failure('invalid_state'),
    );
    expect(wasAskedForTokens(first)).toBe(false);
    expect(await browser.get(callback)).toMatchObject(WELCOME);
  });

  it('is checked for its provider before an error is looked at', async () => {
    const browser = app.browser();
    const state = parameter(await callbackAs(first, browser, newAccount()), 'state');

    expect(await browser.get(`/auth/oauth/staff/callback?error=access_denied&state=${state}`)).toMatchObject(
      failure('invalid_state'),
    );
    expect(await browser.get(`/auth/oauth/idp/callback?error=access_denied&state=${state}`)).toMatchObject(
      failure('access_denied'),
    );
  });
});

describe('a code that another provider gave out', () => {
  /** A login that began at one provider, with the answer that the browser got at the other. */
  async function mixedUp(begun: IdentityProvider, other: IdentityProvider, browser: Browser) {
    const own = await callbackAs(begun, browser, newAccount());
    const foreign = await callbackAs(other, browser, newAccount());
    return changed(own, { code: parameter(foreign, 'code'), iss: other.issuer });
  }

  it.each(['first', 'staff'] as const)(
    'is not presented to the provider that the login began with: %s',
    async (name) => {
      const browser = app.browser();
      const [begun, other] = name === 'first' ? [first, staff] : [staff, first];

      const callback = await mixedUp(begun, other, browser);

      expect(await browser.get(callback)).toMatchObject(failure('invalid_state'));
      expect([wasAskedForTokens(begun), wasAskedForTokens(other)]).toEqual([false, false]);
      expect(browser.jar.has('session_id')).toBe(false);
    },
  );

  it('opens no account where an attacker writes the issuer that is expected', async () => {
    const browser = app.browser();
    const callback = changed(await mixedUp(staff, first, browser), { iss: staff.issuer });

    expect(await browser.get(callback)).toMatchObject(failure('provider_error'));
    expect(wasAskedForTokens(first)).toBe(false);
    expect(browser.jar.has('session_id')).toBe(false);
  });
});

describe('the issuer in an answer', () => {
  it.each([undefined, '', 'https://evil.example', 'the issuer with a slash'])(
    'has to be there where the provider announces it, and is refused as %s',
    async (iss) => {
      const browser = app.browser();
      const callback = await callbackAs(staff, browser, newAccount());
      expect(parameter(callback, 'iss')).toBe(staff.issuer);

      const spoilt = changed(callback, { iss: iss?.replace('the issuer with a slash', `${staff.issuer}/`) });
      expect(await browser.get(spoilt)).toMatchObject(failure('invalid_state'));
      expect(wasAskedForTokens(staff)).toBe(false);
    },
  );

  it('has to be there with an error too', async () => {
    const browser = app.browser();
    const callback = await callbackAs(staff, browser, 'cancel');

    expect(await browser.get(changed(callback, { iss: undefined }))).toMatchObject(failure('invalid_state'));
    expect(await loginThrough(staff, browser, 'cancel')).toMatchObject(failure('access_denied'));
  });

  it.each(['user_cancelled_login', 'user_cancelled_authorize'])(
    'ends in access_denied, without a line in the log, where a provider says %s',
    async (error) => {
      const browser = app.browser();
      const callback = await callbackAs(first, browser, newAccount());
      const before = app.log.length;
      expect(await browser.get(changed(callback, { code: undefined, iss: undefined, error }))).toMatchObject(
        failure('access_denied'),
      );
      expect(app.log.slice(before).join('')).not.toContain('idp.callback_failed');
    },
  );

  it('may be missing where the settings, and no document, describe the provider', async () => {
    const browser = app.browser();
    const callback = await callbackAs(first, browser, newAccount());

    expect(await browser.get(changed(callback, { iss: undefined }))).toMatchObject(WELCOME);
  });
});

describe('a domain that a provider is vouched for', () => {
  it.each([`ada@${VOUCHED}`, `grace@${VOUCHED.toUpperCase()}`])(
    'makes %s count as verified though the provider does not say so',
    async (email) => {
      const who = newAccount({ email, email_verified: undefined });
      expect(await loginThrough(staff, app.browser(), who)).toMatchObject(WELCOME);
    },
  );

  it.each([
    'ada@mail.contoso.example',
    'ada@evilcontoso.example',
    'ada@contoso.example.evil.example',
    'ada@contoso.example.',
    'ada@example',
    'ada@contoso\uff0eexample',
    'ada@c\u043entoso.example',
    'ada@evil.example,ada@contoso.example',
    '"ada@evil.example"@contoso.example',
    'ada@evil.example@contoso.example',
    'ada@evil.example\u0000@contoso.example',
  ])('does not make %j count as verified', async (email) => {
    const who = newAccount({ email, email_verified: undefined });
    expect(await loginThrough(staff, app.browser(), who)).toMatchObject(failure('email_not_verified'));
  });

  it.each([false, 'false', null, 0, 1, 'yes'])(
    'is no reason to take an address for verified where the provider says that email_verified is %j',
    async (email_verified) => {
      const who = newAccount({ email: `eve@${VOUCHED}`, email_verified });
      expect(await loginThrough(staff, app.browser(), who)).toMatchObject(failure('email_not_verified'));
    },
  );

  it('is that of one provider, and says nothing of another', async () => {
    const who = newAccount({ email: `lin@${VOUCHED}`, email_verified: undefined });
    expect(await loginThrough(first, app.browser(), who)).toMatchObject(failure('email_not_verified'));
  });
});

describe('in B2B, a login through another provider', () => {
  it('admits a user with an invitation for the address, and no stranger', async () => {
    const variables = { SVC_IDP_OTHERS: JSON.stringify([staff.entry]), SVC_APP_MODE: 'b2b' };
    const b2b = await TestApp.start(variables, { database: app.database });
    const org = await foundOrg(app);
    const who = newAccount();
    await org.admin.post(`/orgs/${org.id}/invitations`, { email: who.email, role: 'member' });
    const link = new URL(linkIn(await app.mailbox.last(who.email ?? '')));
    const query = `?invitation_token=${link.searchParams.get('token')}`;

    expect(await loginThrough(staff, b2b.browser(), newAccount())).toMatchObject(
      failure('invitation_required'),
    );
    expect(await loginThrough(staff, b2b.browser(), newAccount(), query)).toMatchObject(
      failure('invitation_invalid'),
    );
    const browser = b2b.browser();
    expect(await loginThrough(staff, browser, who, query)).toMatchObject(WELCOME);
    expect((await browser.get('/users/me')).body.user.org_id).toBe(org.id);
    await b2b.nest.close();
  });
});

describe('a name that no provider has', () => {
  it.each(['STAFF', 'staf', 'staff%00', 'idp%2fstaff', '__proto__', 'constructor', '%20'])(
    'is answered as an unknown path: %s',
    async (name) => {
      const browser = app.browser();
      const unknown = await browser.get('/unknown');
      for (const path of ['authorize-url', 'callback?code=x&state=y']) {
        const answer = await browser.get(`/auth/oauth/${name}/${path}`);
        expect(answer.status).toBe(404);
        expect({ ...answer.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
      }
      expect((await browser.send('HEAD', `/auth/oauth/${name}/callback`)).status).toBe(404);
    },
  );

  it('is idp where only other providers are configured', async () => {
    const variables = { SVC_IDP_OTHERS: JSON.stringify([staff.entry]) };
    const others = await TestApp.start(variables, { database: app.database });

    expect((await others.browser().get('/auth/oauth/idp/authorize-url')).status).toBe(404);
    expect((await others.browser().get('/auth/oauth/staff/authorize-url')).status).toBe(200);
    await others.nest.close();
  });
});

describe('HEAD of the callback of another provider', () => {
  it('is refused, and does not use the state up', async () => {
    const browser = app.browser();
    const callback = await callbackAs(staff, browser, newAccount());

    expect((await browser.send('HEAD', callback)).status).toBe(405);
    expect(await browser.get(callback)).toMatchObject(WELCOME);
  });
});
