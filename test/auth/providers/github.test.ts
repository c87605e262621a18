import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { freshAddress } from '../../support/accounts.js';
import { failure } from '../../support/identity-provider.js';
import { TestApp } from '../../support/test-app.js';
import { OAuthProvider } from './oauth-provider.js';

const WELCOME = { status: 302, headers: { location: 'http://localhost:5173/' } };
const GITHUB = { preset: 'github', client_id: 'latchkey', client_secret: 'the secret of the client' };
const REGISTERED = {
  callback: 'http://localhost:3000/auth/oauth/github/callback',
  scope: 'read:user user:email',
};

/** The addresses of GitHub that the service asked. */
const asked: string[] = [];

let provider: OAuthProvider;
let app: TestApp;
beforeAll(async () => {
  provider = await OAuthProvider.start(REGISTERED);
  app = await TestApp.start({ SVC_IDP_OTHERS: JSON.stringify([GITHUB]), SVC_LOG_LEVEL: 'debug' });
});
afterAll(async () => {
  await app.close();
  await provider.stop();
});

/** Has the stand-in answer in the place of GitHub. */
const { fetch } = globalThis;
const answersForGitHub = jest.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
  const url = String(input);
  if (/^https:\/\/(api\.)?github\.com\//.test(url)) asked.push(url);
  const standIn = url
    .replace('https://api.github.com', `${provider.address}/api/v3`)
    .replace('https://github.com', provider.address);
  return fetch(standIn, init);
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(() => answersForGitHub.mockRestore());

/** An entry of GitHub's list of addresses. */
const entry = (email: unknown, { primary = true, verified = true }: Record<string, unknown> = {}) => ({
  email,
  primary,
  verified,
  visibility: 'private',
});

let ids = 583_231;

/** Logs in as a person of whom GitHub says this, and gives this list of addresses. */
async function loginAs(user: object, emails: unknown) {
  const browser = app.browser();
  const { body } = await browser.get('/auth/oauth/github/authorize-url');
  const described = JSON.stringify({ id: ++ids, login: 'octocat', name: 'Mona', email: null, ...user });
  const callback = provider.authorize(body.authorization_url, described, JSON.stringify(emails));
  return { answer: await browser.get(callback), browser };
}

describe('the login through GitHub', () => {
  it('asks at the addresses that GitHub names, for the profile and the addresses, with PKCE', async () => {
    const { body } = await app.browser().get('/auth/oauth/github/authorize-url');
    const url = new URL(body.authorization_url);
    expect(url.origin + url.pathname).toBe('https://github.com/login/oauth/authorize');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      redirect_uri: REGISTERED.callback,
      scope: REGISTERED.scope,
      code_challenge_method: 'S256',
    });

    await loginAs({}, [entry(freshAddress())]);
    expect(asked.sort()).toEqual([
      'https://api.github.com/user',
      'https://api.github.com/user/emails?per_page=100&page=1',
      'https://github.com/login/oauth/access_token',
    ]);
  });

  it('knows a user by the number of the account, whatever becomes of the address', async () => {
    const email = freshAddress();
    const id = ++ids;
    await loginAs({ id }, [entry(email)]);

    const { answer, browser } = await loginAs({ id }, [entry(freshAddress())]);

    expect(answer).toMatchObject(WELCOME);
    expect((await browser.get('/users/me')).body.user).toMatchObject({ email, name: 'Mona' });
    expect(
      await app.database.rows('SELECT provider FROM identities WHERE subject = $1', [String(id)]),
    ).toEqual([{ provider: 'https://github.com/login/oauth' }]);
  });

  it('takes the primary address, wherever it stands among others that are verified', async () => {
    const email = freshAddress();
    const others = [entry(freshAddress(), { primary: false }), entry(email.toUpperCase())];

    const { answer, browser } = await loginAs({ email: freshAddress() }, others);

    expect(answer).toMatchObject(WELCOME);
    expect((await browser.get('/users/me')).body.user.email).toBe(email);
  });

  it('finds the primary address behind the first page of the list, and reads ten pages at most', async () => {
    const email = freshAddress();
    const others = Array.from({ length: 1_100 }, () => entry(freshAddress(), { primary: false }));

    const { answer } = await loginAs({}, [...others.slice(0, 250), entry(email)]);
    expect(answer).toMatchObject(WELCOME);
    expect(asked.filter((url) => url.includes('/emails'))).toHaveLength(3);

    asked.length = 0;
    const endless = await loginAs({}, [...others, entry(freshAddress())]);
    expect(endless.answer).toMatchObject(failure('email_not_verified'));
    expect(asked.filter((url) => url.includes('/emails'))).toHaveLength(10);
  });

  it.each<[string, unknown]>([
    ['is not verified', [entry('ada@example.com', { verified: false })]],
    [
      'is not verified, though another one is',
      [entry('ada@example.com', { verified: false }), entry('ada@example.org', { primary: false })],
    ],
    ['is verified in words', [entry('ada@example.com', { verified: 'true' })]],
    ['is primary in words', [entry('ada@example.com', { primary: 'true' })]],
    ['is verified by a number', [entry('ada@example.com', { verified: 1 })]],
    ['is missing', []],
    ['is only one of several', [entry('ada@example.com', { primary: false })]],
    ['is the private one, which reaches no mailbox', [entry('583231+octocat@users.noreply.github.com')]],
    ['is the private one in capitals', [entry('octocat@USERS.NOREPLY.GITHUB.COM')]],
    ['is no address', [entry('octocat')]],
    ['is a list', [entry(['ada@example.com'])]],
    ['stands among what is no entry', [null, 'ada@example.com', 7, [entry('ada@example.com')]]],
  ])('takes no address from a list whose primary one %s', async (_, emails) => {
    const { answer } = await loginAs({ email: 'ada@example.com', email_verified: true }, emails);

    expect(answer).toMatchObject(failure('email_not_verified'));
    expect(await app.database.rows(`SELECT 1 FROM users WHERE email LIKE 'ada@%'`)).toEqual([]);
  });

  it('is refused where GitHub gives no list of addresses, as without the scope for it', async () => {
    const { answer } = await loginAs({ email: 'ada@example.com' }, undefined);
    expect(answer).toMatchObject(failure('provider_error'));
  });

  it('takes the issuer that GitHub names in its answers, and no other one', async () => {
    for (const [iss, location] of [
      ['https://github.com/login/oauth', WELCOME.headers.location],
      ['https://github.com', 'http://localhost:5173/login?error=invalid_state'],
    ]) {
      const browser = app.browser();
      const { body } = await browser.get('/auth/oauth/github/authorize-url');
      const user = JSON.stringify({ id: ++ids });
      const emails = JSON.stringify([entry(freshAddress())]);
      const callback = provider.authorize(body.authorization_url, user, emails);

      const answer = await browser.get(`${callback}&${new URLSearchParams({ iss: String(iss) })}`);
      expect(answer.headers.location).toBe(location);
    }
  });

  it('logs neither the secret of the client nor what GitHub says of the user', () => {
    expect(app.log.join('')).not.toMatch(/the secret of the client|octocat|Mona/);
  });
});

describe('the login through a GitHub Enterprise Server', () => {
  it('asks that server alone', async () => {
    const other = await TestApp.start(
      { SVC_IDP_OTHERS: JSON.stringify([{ ...GITHUB, issuer: `${provider.address}/login/oauth` }]) },
      { database: app.database },
    );
    const email = freshAddress();
    const browser = other.browser();
    const { body } = await browser.get('/auth/oauth/github/authorize-url');
    expect(body.authorization_url).toContain(`${provider.address}/login/oauth/authorize?`);

    const emails = JSON.stringify([entry(email)]);
    const callback = provider.authorize(body.authorization_url, '{"id":583231}', emails);
    expect(await browser.get(callback)).toMatchObject(WELCOME);
    expect(asked).toEqual([]);
    expect((await browser.get('/users/me')).body.user.email).toBe(email);
    await other.nest.close();
  });
});
