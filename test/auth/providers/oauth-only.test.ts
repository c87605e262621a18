import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress } from '../../support/accounts.js';
import { failure } from '../../support/identity-provider.js';
import { TestApp } from '../../support/test-app.js';
import { OAuthProvider } from './oauth-provider.js';

const WELCOME = { status: 302, headers: { location: 'http://localhost:5173/' } };

let provider: OAuthProvider;
beforeAll(async () => {
  provider = await OAuthProvider.start();
});
afterAll(() => provider.stop());

/** Logs in as a person whom the provider describes in this text. */
async function loginAs(app: TestApp, text: string) {
  const browser = app.browser();
  const { body } = await browser.get('/auth/oauth/idp/authorize-url');
  return browser.get(provider.authorize(body.authorization_url, text));
}

const subjects = (app: TestApp) =>
  app.database
    .rows('SELECT subject FROM identities ORDER BY created_at')
    .then((rows) => rows.map((row) => row.subject));

describe('a provider of OAuth without OpenID Connect that vouches for its addresses', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ ...provider.variables, SVC_IDP_VOUCHES_EMAILS: 'true' });
  });
  afterAll(() => app.close());

  it('logs a user in by the id it gives an account, whether a number or a text', async () => {
    const email = freshAddress();

    for (const id of ['583231', '"583231"', '"583231"'])
      expect(await loginAs(app, `{"id":${id},"email":"${email}"}`)).toMatchObject(WELCOME);

    expect(await subjects(app)).toEqual(['583231']);
  });

  it('logs a user in by the sub where there is an id as well', async () => {
    expect(await loginAs(app, `{"id":7,"sub":"ada","email":"${freshAddress()}"}`)).toMatchObject(WELCOME);
    expect(await subjects(app)).toContain('ada');
  });

  it.each([
    ['a number that JavaScript rounds', '9007199254740993'],
    ['a number that JavaScript cannot tell from its neighbour', '9007199254740992'],
    ['a number beyond all bounds', '1e400'],
    ['a fraction', '1.5'],
    ['zero, which stands for nothing in many programs', '0'],
    ['minus zero', '-0'],
    ['less than nothing', '-1'],
    ['a list', '[7]'],
    ['an object', '{"id":7}'],
    ['true', 'true'],
    ['null', 'null'],
    ['empty', '""'],
  ])('is refused when the id is %s', async (_, id) => {
    const before = await subjects(app);

    expect(await loginAs(app, `{"id":${id},"email":"${freshAddress()}"}`)).toMatchObject(
      failure('provider_error'),
    );
    expect(await subjects(app)).toEqual(before);
  });

  it.each(['false', '"false"', 'null', '0', '1', '"yes"', '[]'])(
    'is not believed where it says that email_verified is %s',
    async (isVerified) => {
      const profile = `{"id":8,"email":"${freshAddress()}","email_verified":${isVerified}}`;
      expect(await loginAs(app, profile)).toMatchObject(failure('email_not_verified'));
    },
  );

  it('cannot vouch for what is not an address', async () => {
    for (const email of ['null', '"ada"', '["ada@example.com"]'])
      expect(await loginAs(app, `{"id":9,"email":${email}}`)).toMatchObject(failure('email_not_verified'));
  });
});

describe('a provider of OAuth that the operator has not declared to vouch for its addresses', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ ...provider.variables, SVC_LOG_LEVEL: 'warn' });
  });
  afterAll(() => app.close());

  it('is believed only where it calls the address verified', async () => {
    const email = freshAddress();

    expect(await loginAs(app, `{"id":7,"email":"${email}"}`)).toMatchObject(failure('email_not_verified'));
    expect(await app.database.rows('SELECT 1 FROM users')).toEqual([]);
    for (const isVerified of ['true', '"true"'])
      expect(await loginAs(app, `{"id":7,"email":"${email}","email_verified":${isVerified}}`)).toMatchObject(
        WELCOME,
      );
  });

  it('has its refusal of the client logged, although its status is 200, and not in its own words', async () => {
    const other = await TestApp.start(
      { ...provider.variables, SVC_IDP_CLIENT_SECRET: 'a wrong secret' },
      { database: app.database },
    );

    expect(await loginAs(other, '{"id":7}')).toMatchObject(failure('provider_error'));
    await other.nest.close();

    const log = other.log.join('');
    expect(log).toContain('refused to exchange the code: status 200, no error of the specification');
    expect(log).not.toMatch(/incorrect_client_credentials|The client secret|a wrong secret/);
  });
});
