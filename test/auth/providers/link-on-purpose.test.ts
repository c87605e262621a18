import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { derivedKey } from '../../../src/secrets/derived-key.js';
import { freshAddress, loggedIn, PASSWORD, verified } from '../../support/accounts.js';
import { eventsAfter } from '../../support/audit.js';
import { ageProof, appOwner } from '../../support/authenticator-app.js';
import type { Answer, Browser } from '../../support/browser.js';
import {
  callbackOf,
  failure,
  IdentityProvider,
  loginThrough,
  type ProviderAccount,
} from '../../support/identity-provider.js';
import { asMember, type Member } from '../../support/orgs.js';
import { TestApp } from '../../support/test-app.js';
import { WITHOUT_LAST_SEEN } from '../../support/test-database.js';

const LINK = '/users/me/identities/idp/authorize-url';
const LINKED = { status: 302, headers: { location: 'http://localhost:5173/settings?linked=idp' } };
const HOUR_SECONDS = 3600;

let app: TestApp;
let other: TestApp;
let provider: IdentityProvider;
let staff: IdentityProvider;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  staff = await IdentityProvider.start(callbackOf('staff'));
  const variables = { ...provider.variables, SVC_IDP_OTHERS: JSON.stringify([staff.entry]) };
  app = await TestApp.start(variables);
  other = await TestApp.start(variables, { database: app.database });
});
afterAll(async () => {
  await other.nest.close();
  await app.close();
  await Promise.all([provider.stop(), staff.stop()]);
});
afterEach(() => {
  provider.claims = {};
});

const person = (claims: Partial<ProviderAccount> = {}): ProviderAccount => ({
  sub: `subject of ${freshAddress()}`,
  email: freshAddress(),
  email_verified: true,
  ...claims,
});
const owner = async (): Promise<Member> => asMember(await loggedIn(app));
const refused = (reason: string) => ({
  status: 302,
  headers: { location: `http://localhost:5173/settings?error=${reason}` },
});

/** Asks to link, goes to the provider, and returns where that sends the browser back to. */
async function backFrom(browser: Browser, who: ProviderAccount | 'cancel', cookies?: Map<string, string>) {
  const { status, body } = await browser.post(LINK, { return_to: '/settings' });
  if (status !== 200) throw new Error(`the link answered ${status}`);
  return provider.authorize(body.authorization_url, who, cookies);
}

async function link(browser: Browser, who: ProviderAccount | 'cancel'): Promise<Answer> {
  return browser.get(await backFrom(browser, who));
}

const identitiesOf = async (browser: Browser) => (await browser.get('/users/me/identities')).body.data;

/** What a link changes; of events and mails how many there are, because the service goes on to link and to send them. */
const rows = async () => {
  const whole = ['users', 'sessions', 'identities', 'removed_identities'].map((table) =>
    app.database.rows(`SELECT ${WITHOUT_LAST_SEEN} AS row FROM ${table} t ORDER BY 1`),
  );
  const counted = ['audit_events', 'outbox_mails'].map((table) =>
    app.database.value(`SELECT count(*)::int FROM ${table}`),
  );
  return Promise.all([...whole, ...counted]);
};

/** Does something that must change no row but the state that it uses up. */
async function changingNothing(act: () => Promise<unknown>): Promise<void> {
  const before = await rows();
  await act();
  expect(await rows()).toEqual(before);
}

describe('an identity that is linked on purpose', () => {
  it.each<[string, (own: string) => ProviderAccount]>([
    ['under the address of the account', (email) => person({ email })],
    ['under another address', () => person()],
    ['under an address that the provider has not verified', () => person({ email_verified: false })],
    ['without an address', () => ({ sub: `subject of ${freshAddress()}` })],
  ])('logs in to the account, %s', async (_, personOf) => {
    const browser = await owner();
    const who = personOf(browser.email);

    expect(await link(browser, who)).toMatchObject(LINKED);

    const address = who.email_verified ? (who.email ?? null) : null;
    expect(await identitiesOf(browser)).toMatchObject([{ provider: 'idp', email: address }]);
    const again = app.browser();
    await loginThrough(provider, again, who);
    expect((await again.get('/users/me')).body.user).toMatchObject({ id: browser.id, email: browser.email });
  });

  it('leaves the session as it is, tells the owner at the address of the account, and is recorded', async () => {
    const browser = await owner();
    const [session] = (await browser.get('/sessions')).body.data;
    const who = person();
    const back = await backFrom(browser, who);

    const events = await eventsAfter(app, () => browser.get(back));

    expect(events).toMatchObject([
      { type: 'identity.linked', actor_id: browser.id, user_id: browser.id, org_id: null },
    ]);
    expect((await browser.get('/sessions')).body.data).toMatchObject([
      { id: session.id, current: true, authenticated_at: session.authenticated_at },
    ]);
    const { subject, text } = await app.mailbox.last(browser.email);
    expect(subject).toBe('A new way to log in to your account');
    expect(text).toContain('through the provider. This login was just linked on the page of your account.');
    expect(text).toContain('/secure-account?token=');
    expect(await app.mailbox.to(who.email ?? '')).toEqual([]);
  });

  it('changes nothing where it is linked already', async () => {
    const browser = await owner();
    const who = person();
    await link(browser, who);
    const back = await backFrom(browser, who);
    await app.mailbox.last(browser.email);

    await changingNothing(async () => expect(await browser.get(back)).toMatchObject(LINKED));
  });

  it('is linked again after it was unlinked', async () => {
    const browser = await owner();
    const who = person({ email: browser.email });
    await link(browser, who);
    await browser.delete(`/users/me/identities/${(await identitiesOf(browser))[0].id}`);
    expect(await loginThrough(provider, app.browser(), who)).toMatchObject(failure('account_conflict'));

    expect(await link(browser, who)).toMatchObject(LINKED);
    expect((await loginThrough(provider, app.browser(), who)).headers.location).toBe(
      'http://localhost:5173/',
    );
  });

  it('goes with “this was not me” in the mail about it', async () => {
    const browser = await owner();
    const who = person();
    await link(browser, who);
    const { text } = await app.mailbox.last(browser.email);
    const token = /secure-account\?token=(\S+)/.exec(text)?.[1];

    expect((await app.browser().post('/auth/secure-account', { token })).status).toBe(204);

    await loginThrough(provider, app.browser(), who);
    expect(
      await app.database.value('SELECT count(*)::int FROM identities WHERE user_id = $1', [browser.id]),
    ).toBe(0);
  });

  it('goes with a reset of the password where it has another address: only the mailbox is proven then', async () => {
    const browser = await owner();
    const [same, foreign] = [person({ email: browser.email }), person()];
    await link(browser, foreign);
    const { body } = await browser.post('/users/me/identities/staff/authorize-url', {});
    await browser.get(await staff.authorize(body.authorization_url, same));
    expect(await identitiesOf(browser)).toHaveLength(2);

    await browser.post('/password/forgot', { email: browser.email });
    const token = await app.mailbox.token(browser.email);
    await browser.post('/password/reset', { token, new_password: 'another pass phrase' });

    expect(await identitiesOf(await loggedIn(app, browser.email, 'another pass phrase'))).toMatchObject([
      { provider: 'staff', email: browser.email },
    ]);
  });

  it('comes back to a page of the service where it began there', async () => {
    const browser = await owner();
    const { body } = await browser.post(LINK, { via: 'ui', return_to: '/account?ui_locales=de' });
    const back = await provider.authorize(body.authorization_url, person());

    expect((await browser.get(back)).headers.location).toBe(
      'http://localhost:3000/ui/account?ui_locales=de&linked=idp',
    );
  });
});

describe('POST /users/me/identities/:provider/authorize-url', () => {
  it('needs a session with a recent proof, a page of ours, and a provider of the settings', async () => {
    const browser = await owner();
    expect((await app.browser().post(LINK, {})).status).toBe(401);
    expect(await browser.post(LINK, {}, { origin: 'https://evil.example' })).toMatchObject({
      status: 403,
      body: { code: 'OriginNotAllowed' },
    });
    expect((await browser.post('/users/me/identities/nobody/authorize-url', {})).status).toBe(404);
    expect((await browser.post(LINK, { return_to: 'https://evil.example' })).status).toBe(400);
    expect((await browser.post(LINK, { invitation_token: 'x' })).status).toBe(400);

    await ageProof(app, browser);
    expect(await browser.post(LINK, {})).toMatchObject({
      status: 403,
      body: { code: 'StepUpRequired', methods: ['password'] },
    });
  });

  it('asks for the second factor, where the account has one', async () => {
    const { browser, id } = await appOwner(app);
    await app.database.rows('UPDATE sessions SET aal = 1, raised_by = NULL WHERE user_id = $1', [id]);

    expect((await browser.post(LINK, {})).body).toMatchObject({
      code: 'StepUpRequired',
      methods: ['totp', 'recovery_code'],
    });
  });

  it('has the provider ask its user, who may be an attacker in a session of the provider', async () => {
    const browser = await owner();
    const mallory = person();
    const cookies = new Map<string, string>();
    await loginThrough(provider, app.browser(), mallory, '', cookies);
    const asked = () => provider.asked.filter((path) => path.startsWith('/interaction/')).length;
    const before = asked();

    await backFrom(browser, mallory, cookies);
    expect(asked()).toBeGreaterThan(before);

    provider.claims = { auth_time: Math.floor(Date.now() / 1000) - HOUR_SECONDS };
    expect(await link(browser, mallory)).toMatchObject(refused('provider_error'));
    expect(await identitiesOf(browser)).toEqual([]);
  });
});

describe('an identity is not linked', () => {
  it('when it is that of another account', async () => {
    const [browser, victim] = [await owner(), person()];
    await loginThrough(provider, app.browser(), victim);
    const back = await backFrom(browser, victim);

    await changingNothing(async () =>
      expect(await browser.get(back)).toMatchObject(refused('identity_taken')),
    );
  });

  it('when the account has another one at this provider', async () => {
    const browser = await owner();
    await link(browser, person());
    const back = await backFrom(browser, person());
    await app.mailbox.last(browser.email);

    await changingNothing(async () =>
      expect(await browser.get(back)).toMatchObject(refused('account_conflict')),
    );
  });

  it('when the user cancels at the provider', async () => {
    const browser = await owner();

    expect(await link(browser, 'cancel')).toMatchObject(refused('access_denied'));
    expect((await browser.get('/users/me')).status).toBe(200);
  });

  it('by a callback that an attacker sends to the browser of a victim', async () => {
    const [mallory, victim] = [await owner(), await owner()];
    const back = await backFrom(mallory, person());

    await changingNothing(async () => expect(await victim.get(back)).toMatchObject(refused('invalid_state')));
    expect(await identitiesOf(victim)).toEqual([]);
  });

  it('by the code of an attacker with the state of the victim', async () => {
    const [mallory, victim] = [await owner(), await owner()];
    const code = new URL(await backFrom(mallory, person()), 'http://x').searchParams.get('code') ?? '';
    const back = new URL(await backFrom(victim, person()), 'http://x');
    back.searchParams.set('code', code);

    await changingNothing(async () =>
      expect(await victim.get(back.pathname + back.search)).toMatchObject(refused('provider_error')),
    );
  });

  it('by the state of a login, nor is a login made by the state of a link', async () => {
    const browser = await owner();
    const url = new URL(await backFrom(browser, person()), 'http://x');
    const { purpose: _, ...claims } = jwt.decode(url.searchParams.get('state') ?? '') as jwt.JwtPayload;
    for (const [key, purpose] of [
      ['idp-login', 'idp-link'],
      ['idp-link', 'idp-login'],
    ] as const) {
      const signed = Buffer.from(derivedKey(app.environment.jwtSecretKey[0], key));
      url.searchParams.set('state', jwt.sign({ ...claims, purpose }, signed));
      const { headers } = await browser.get(url.pathname + url.search);
      expect(headers.location).toBe('http://localhost:5173/login?error=invalid_state');
    }
    expect(await identitiesOf(browser)).toEqual([]);
  });

  it('by a second use of its callback', async () => {
    const browser = await owner();
    const back = await backFrom(browser, person());
    await browser.get(back);
    await browser.delete(`/users/me/identities/${(await identitiesOf(browser))[0].id}`);

    expect(await browser.get(back)).toMatchObject(refused('invalid_state'));
    expect(await identitiesOf(browser)).toEqual([]);
  });

  it('at another provider than it began with', async () => {
    const browser = await owner();
    const back = await backFrom(browser, person());

    expect(await browser.get(back.replace('/idp/', '/staff/'))).toMatchObject(refused('invalid_state'));
  });

  it.each<[string, string, (browser: Member) => Promise<unknown>]>([
    ['the session has ended', 'session_ended', (browser) => browser.post('/auth/logout')],
    [
      'the session has expired',
      'session_ended',
      ({ id }) =>
        app.database.rows(`UPDATE sessions SET expires_at = now() - interval '1 second' WHERE user_id = $1`, [
          id,
        ]),
    ],
    [
      'the account is disabled',
      'account_disabled',
      ({ id }) => app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [id]),
    ],
    [
      'the account is deleted',
      'session_ended',
      (browser) => browser.send('DELETE', '/users/me', { current_password: PASSWORD }),
    ],
    [
      'another person has logged in',
      'session_ended',
      async (browser) => {
        // Without the end of the session before, as if its cookie had been deleted.
        browser.jar.delete('session_id');
        await browser.post('/auth/login', { email: await verified(app), password: PASSWORD });
      },
    ],
  ])('when %s meanwhile', async (_, reason, happens) => {
    const browser = await owner();
    const back = await backFrom(browser, person());
    await happens(browser);
    const linked = () => app.database.value('SELECT count(*)::int FROM identities');
    const before = await linked();

    expect(await browser.get(back)).toMatchObject(refused(reason));
    expect(await linked()).toBe(before);
  });
});

describe('over two replicas, an identity', () => {
  it('is linked to one of two accounts that ask at once, and refused to the other', async () => {
    for (let round = 0; round < 5; round++) {
      const [first, second, who] = [await owner(), await owner(), person()];
      const backs = [await backFrom(first, who), await backFrom(second, who)] as const;
      const elsewhere = Object.assign(other.browser(), { jar: second.jar });

      const answers = await Promise.all([first.get(backs[0]), elsewhere.get(backs[1])]);

      const locations = answers.map(({ headers }) => String(headers.location).split('?')[1]);
      expect(locations.sort()).toEqual(['error=identity_taken', 'linked=idp']);
      expect(
        await app.database.value('SELECT count(*)::int FROM identities WHERE subject = $1', [who.sub]),
      ).toBe(1);
    }
  });

  it('of each account is refused to the other at once, without a deadlock', async () => {
    const [first, second] = [await owner(), await owner()];
    const [ofFirst, ofSecond] = [person(), person()];
    await link(first, ofFirst);
    await link(second, ofSecond);
    const backs = [await backFrom(first, ofSecond), await backFrom(second, ofFirst)] as const;
    const elsewhere = Object.assign(other.browser(), { jar: second.jar });

    const answers = await Promise.all([first.get(backs[0]), elsewhere.get(backs[1])]);

    for (const answer of answers) expect(answer).toMatchObject(refused('account_conflict'));
  });

  it('is linked once where its owner asks twice at once', async () => {
    const browser = await owner();
    const who = person();
    const backs = [await backFrom(browser, who), await backFrom(browser, who)] as const;
    const elsewhere = Object.assign(other.browser(), { jar: new Map(browser.jar) });

    const answers = await Promise.all([browser.get(backs[0]), elsewhere.get(backs[1])]);

    for (const answer of answers) expect(answer).toMatchObject(LINKED);
    const subjects = (await app.mailbox.to(browser.email)).map(({ subject }) => subject);
    expect(subjects.filter((each) => each === 'A new way to log in to your account')).toHaveLength(1);
  });
});
