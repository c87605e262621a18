import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { TestApp } from '../../support/test-app.js';

const GOOGLE = { SVC_IDP_CLIENT_ID: 'a client', SVC_IDP_CLIENT_SECRET: 'its secret' };

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start(GOOGLE);
});
afterAll(() => app.close());

const begin = (query = '') => app.browser().get(`/auth/oauth/idp/authorize-url${query}`);

describe('GET /auth/oauth/idp/authorize-url', () => {
  it('returns where to go, by default Google, with PKCE and the exact redirect URI', async () => {
    const { status, body } = await begin();

    const url = new URL(body.authorization_url);
    expect(status).toBe(200);
    expect(url.origin + url.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'a client',
      response_type: 'code',
      redirect_uri: 'http://localhost:3000/auth/oauth/idp/callback',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.any(String),
      claims: '{"id_token":{"auth_time":{"essential":true}}}',
    });
  });

  it('asks an OpenID provider in the language of the page, where there are several', async () => {
    const other = { preset: 'github', client_id: 'another client', client_secret: 'its secret' };
    const settings = { ...GOOGLE, SVC_IDP_OTHERS: JSON.stringify([other]), SVC_LOCALES: 'en,en-XA' };
    const several = await TestApp.start(settings, { database: app.database });
    const askedBy = async (service: TestApp, accepted: string, provider = 'idp') => {
      const { body } = await service
        .browser()
        .get(`/auth/oauth/${provider}/authorize-url`, { 'accept-language': accepted });
      return new URL(body.authorization_url).searchParams.get('ui_locales');
    };
    const asked = [
      await askedBy(several, 'en-XA'),
      await askedBy(several, 'nl,DE-ch;q=0.9,*;q=0.1'),
      await askedBy(several, '"><script>'),
      await askedBy(several, 'en-XA', 'github'),
      await askedBy(app, 'en-XA'),
    ];
    await several.nest.close();

    expect(asked).toEqual(['en-XA', 'nl de-CH', null, null, null]);
  });

  it('keeps the verifier in a short-lived cookie, out of the address', async () => {
    const { body, cookies } = await begin();

    expect(cookies).toHaveLength(1);
    const [pair = '', ...attributes] = (cookies[0] ?? '').split('; ');
    const verifier = pair.split('=')[1] ?? '';
    expect(attributes).toEqual(['Max-Age=600', 'Path=/', 'HttpOnly', 'SameSite=Lax']);

    const url = new URL(body.authorization_url);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    expect(url.searchParams.get('code_challenge')).toBe(challenge);
    expect(url.href).not.toContain(verifier);
    expect(JSON.stringify(jwt.decode(url.searchParams.get('state') ?? ''))).not.toContain(verifier);
  });

  it('sends the cookie over HTTPS only outside dev, to no other host, and still Lax', async () => {
    const prod = await TestApp.start(
      {
        ...GOOGLE,
        SVC_ENVIRONMENT: 'prod',
        SVC_BASE_WEB_URL: 'https://app.example.com',
        SVC_BASE_API_URL: 'https://api.example.com/v1',
      },
      { database: app.database },
    );
    const { cookies } = await prod.browser({}).get('/auth/oauth/idp/authorize-url');

    expect(cookies[0]).toMatch(/^__Host-idp_login_[\w-]{36}=[\w-]{43}; /);
    expect(cookies[0]).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    await prod.nest.close();
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/..//evil.example',
    '\\/evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'home',
    '',
    '/%09/evil.example'.replace('%09', '\t'),
    '/\n/evil.example',
    `/${'a'.repeat(1024)}`,
    '@evil.example',
    '.evil.example',
  ])('refuses to return to %j', async (path) => {
    const answer = await begin(`?return_to=${encodeURIComponent(path)}`);

    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed', errors: [{ field: 'return_to' }] },
    });
    expect(answer.cookies).toEqual([]);
  });

  it.each(['code=x', 'error=access_denied', 'state=x', 'return_to=/a&return_to=/b'])(
    'refuses ?%s',
    async (query) => {
      expect(await begin(`?${query}`)).toMatchObject({ status: 400, body: { code: 'ValidationFailed' } });
    },
  );
});

describe('without a client id', () => {
  it.each(['authorize-url', 'callback?code=x&state=y'])(
    '%s answers as an unknown path does',
    async (path) => {
      const closed = await TestApp.start({}, { database: app.database });
      const browser = closed.browser();

      const [answer, unknown] = [await browser.get(`/auth/oauth/idp/${path}`), await browser.get('/unknown')];

      expect(answer.status).toBe(404);
      expect({ ...answer.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
      await closed.nest.close();
    },
  );
});
