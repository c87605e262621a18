import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { whileCollecting } from '../../support/garbage.js';
import { failure } from '../../support/identity-provider.js';
import { TestApp } from '../../support/test-app.js';
import { until } from '../../support/until.js';

type Respond = (response: ServerResponse, code: string) => void;

const json =
  (value: unknown, status = 200): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const TOKEN: Respond = (response, code) =>
  json({ access_token: `the access token for ${code}`, token_type: 'Bearer' })(response, code);
const PROFILE = json({ sub: 'ada', email: 'ada@example.com', email_verified: true });

/** How the provider answers, by the authorization code of the login. */
const answers = new Map<string, { token: Respond; userinfo: Respond }>();

let app: TestApp;
let provider: Server;
beforeAll(async () => {
  provider = createServer(async (request, response) => {
    const isToken = request.url === '/token';
    const asked = isToken ? await buffer(request) : request.headers.authorization;
    const code = /a-code-\d+/.exec(String(asked))?.[0] ?? '';
    answers.get(code)?.[isToken ? 'token' : 'userinfo'](response, code);
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  app = await TestApp.start({
    SVC_IDP_CLIENT_ID: 'latchkey',
    SVC_IDP_CLIENT_SECRET: 'the secret of the client',
    SVC_IDP_TOKEN_URL: `${base}/token`,
    SVC_IDP_USERINFO_URL: `${base}/userinfo`,
    SVC_IDP_ISSUER: base,
    SVC_LOG_LEVEL: 'trace',
  });
});
afterAll(async () => {
  await app.close();
  provider.closeAllConnections();
  provider.close();
});

async function login(token: Respond, userinfo: Respond) {
  const code = `a-code-${answers.size}`;
  answers.set(code, { token, userinfo });
  const { browser, state } = await begun();
  const startedAt = performance.now();
  const answer = await browser.get(`/auth/oauth/idp/callback?code=${code}&state=${state}`);
  return {
    answer,
    seconds: (performance.now() - startedAt) / 1000,
    hasSession: browser.jar.has('session_id'),
  };
}

/** A flow that has begun, and where it began. */
async function begun() {
  const browser = app.browser();
  const { body } = await browser.get('/auth/oauth/idp/authorize-url');
  return { browser, state: new URL(body.authorization_url).searchParams.get('state') ?? '' };
}

/** What some work puts into the log. */
async function logOf(work: () => Promise<unknown>): Promise<string> {
  const before = app.log.length;
  await work();
  return app.log.slice(before).join('');
}

const hang: Respond = () => {};
const cut: Respond = (response) => response.socket?.destroy();
const drip: Respond = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
};
/** Within the limit of one request, so that two of them together are over that of the login. */
const late: Respond = (response, code) => {
  setTimeout(() => TOKEN(response, code), 4_500);
};
const text =
  (body: string): Respond =>
  (response) =>
    response.writeHead(200).end(body);
const redirect: Respond = (response) => response.writeHead(302, { location: '/elsewhere' }).end();
const huge = json({
  sub: 'ada',
  email: 'ada@example.com',
  email_verified: true,
  padding: 'x'.repeat(5_000_000),
});

describe('the callback', () => {
  it.each<[string, Respond, Respond]>([
    ['the token endpoint answers 500', json({}, 500), PROFILE],
    ['the token endpoint refuses the code', json({ error: 'invalid_grant' }, 400), PROFILE],
    ['the token endpoint answers rubbish', text('<html>'), PROFILE],
    ['the token endpoint answers without a token', json({}), PROFILE],
    ['the token endpoint redirects', redirect, PROFILE],
    ['the token endpoint cuts the connection', cut, PROFILE],
    ['the user info answers 500', TOKEN, json({}, 500)],
    ['the user info answers rubbish', TOKEN, text('{"sub":')],
    ['the user info is no object', TOKEN, json(null)],
    ['the user info is a list', TOKEN, json(['ada'])],
    ['the user info has no subject', TOKEN, json({ email: 'ada@example.com', email_verified: true })],
    [
      'the user info has an empty subject',
      TOKEN,
      json({ sub: '', email: 'ada@example.com', email_verified: true }),
    ],
    [
      'the user info has a subject no table can hold',
      TOKEN,
      json({ sub: 'a\0b', email: 'ada@example.com', email_verified: true }),
    ],
    ['the user info is of 5 MB', TOKEN, huge],
    ['the user info redirects', TOKEN, redirect],
    ['the user info cuts the connection', TOKEN, cut],
  ])('ends in provider_error when %s', async (_, token, userinfo) => {
    const { answer, hasSession } = await login(token, userinfo);

    expect(answer).toMatchObject(failure('provider_error'));
    expect(hasSession).toBe(false);
    expect(await app.database.rows('SELECT 1 FROM users')).toEqual([]);
  });

  it('ends in provider_error within 8 seconds when the token endpoint or the user info hangs or drips', async () => {
    const slow: [Respond, Respond][] = [
      [hang, PROFILE],
      [drip, PROFILE],
      [TOKEN, hang],
      [TOKEN, drip],
      [late, hang],
    ];
    for (const { answer, seconds, hasSession } of await Promise.all(slow.map((pair) => login(...pair)))) {
      expect(answer).toMatchObject(failure('provider_error'));
      expect(seconds).toBeLessThan(8);
      expect(hasSession).toBe(false);
    }
  });

  it('hangs up on either of them when it drips, also while garbage is collected', async () => {
    let dripping = 0;
    const counted: Respond = (response, code) => {
      dripping += 1;
      response.on('close', () => {
        dripping -= 1;
      });
      drip(response, code);
    };

    await whileCollecting(async () => {
      const logins = await Promise.all([login(counted, PROFILE), login(TOKEN, counted)]);
      for (const { answer } of logins) expect(answer).toMatchObject(failure('provider_error'));
      await until(() => dripping === 0);
    });
  });

  it.each<[string, object]>([
    ['false', { email: 'ada@example.com', email_verified: false }],
    ['"false" as a string', { email: 'ada@example.com', email_verified: 'false' }],
    ['1', { email: 'ada@example.com', email_verified: 1 }],
    ['missing', { email: 'ada@example.com' }],
    ['true of no address', { email_verified: true }],
    ['true of something else than an address', { email: 'ada', email_verified: true }],
    ['true of an address with a lone surrogate', { email: '\ud800@example.com', email_verified: true }],
  ])('ends in email_not_verified when email_verified is %s', async (_, claims) => {
    const { answer, hasSession } = await login(TOKEN, json({ sub: 'ada', ...claims }));

    expect(answer).toMatchObject(failure('email_not_verified'));
    expect(hasSession).toBe(false);
    expect(await app.database.rows('SELECT 1 FROM users')).toEqual([]);
  });

  it.each([
    'error=access_denied&state=x',
    'error=server_error&state=x',
    'error=server_error',
    '',
    'state=x',
    'code=x',
    'code=x&state=x',
  ])('answers ?%s with invalid_state', async (query) => {
    expect(await app.browser().get(`/auth/oauth/idp/callback?${query}`)).toMatchObject(
      failure('invalid_state'),
    );
  });

  it.each([
    ['error=access_denied', 'access_denied'],
    ['error=server_error', 'provider_error'],
    ['error=whatever', 'provider_error'],
    ['error=server_error&code=x', 'provider_error'],
    ['error=server_error&iss=https://evil.example', 'invalid_state'],
    ['error=a&error=b', 'invalid_state'],
    ['error=', 'invalid_state'],
    ['', 'invalid_state'],
    ['code=', 'invalid_state'],
    ['code=a&code=b', 'invalid_state'],
  ])('answers ?%s with a good state with %s', async (query, reason) => {
    const { browser, state } = await begun();
    expect(await browser.get(`/auth/oauth/idp/callback?${query}&state=${state}`)).toMatchObject(
      failure(reason),
    );
    expect(browser.jar.size).toBe(0);
  });

  it('names a known error of the provider in the log, and logs nothing else that the provider says', async () => {
    const { browser, state } = await begun();
    const refusal = new URLSearchParams({
      error: 'temporarily_unavailable',
      error_description: 'Come back later.',
      error_uri: 'https://evil.example/',
    });

    const lines = await logOf(() => browser.get(`/auth/oauth/idp/callback?${refusal}&state=${state}`));

    expect(lines).toContain('the identity provider refused the login: temporarily_unavailable');
    expect(lines).not.toMatch(/Come back later|evil/);
  });

  it('keeps an error that no specification knows out of the log', async () => {
    const { browser, state } = await begun();
    const text = `\u001b[31m${'foreign text '.repeat(200)}`;

    const lines = await logOf(() =>
      browser.get(`/auth/oauth/idp/callback?${new URLSearchParams({ error: text, state })}`),
    );

    expect(lines).toContain('the identity provider refused the login: no error of the specification');
    expect(lines).not.toMatch(/foreign text|\[31m/);
  });

  it('logs nothing but the line of the request when the state is not valid', async () => {
    const foreign = 'foreign text '.repeat(200);
    const states = [foreign, `${Buffer.from(`{${foreign}`).toString('base64url')}.e30.x`, 'a.b.c'];
    for (const state of states)
      for (const query of [{ error: foreign, error_description: foreign }, { code: foreign }]) {
        const url = `/auth/oauth/idp/callback?${new URLSearchParams({ ...query, state })}`;
        const lines = await logOf(() => app.browser().get(url));
        expect(lines.trim().split('\n')).toEqual([expect.stringContaining('"event":"request.ended"')]);
      }
  });

  it.each<[string, Respond, string]>([
    ['a wrong client secret', json({ error: 'invalid_client' }, 401), 'status 401, invalid_client'],
    ['a code it has not given out', json({ error: 'invalid_grant' }, 400), 'status 400, invalid_grant'],
    [
      'a reason that no specification knows',
      json({ error: 'foreign text' }, 400),
      'status 400, no error of the specification',
    ],
    ['no reason', text('foreign text'), 'status 200, no error of the specification'],
    ['a page', json('foreign text', 503), 'status 503, no error of the specification'],
    ['a reason in a form, with a 200', text('error=invalid_client'), 'status 200, invalid_client'],
  ])(
    'says in the log that the provider refused the exchange, when it answers with %s',
    async (_, token, reason) => {
      const lines = await logOf(() => login(token, PROFILE));

      expect(lines).toContain(`the identity provider refused to exchange the code: ${reason}`);
      expect(lines).not.toContain('foreign text');
    },
  );

  it('logs what is wrong with the user info, and nothing of its content', async () => {
    expect(await logOf(() => login(TOKEN, json({}, 503)))).toContain('the user info with 503');
    const lines = await logOf(() => login(TOKEN, text('{"sub":"foreign text",')));
    expect(lines).toContain('the user info is no JSON object');
    expect(lines).not.toContain('foreign text');
  });

  it('neither stores nor logs the tokens that the provider gave it', async () => {
    const { hasSession } = await login(TOKEN, PROFILE);
    await login(TOKEN, json({}, 500));

    expect(hasSession).toBe(true);
    const rows = await app.database.rows(
      'SELECT i::text FROM identities i UNION SELECT u::text FROM users u',
    );
    for (const secret of ['the access token for', 'the secret of the client', 'a-code']) {
      expect(JSON.stringify(rows)).not.toContain(secret);
      expect(app.log.join('')).not.toContain(secret);
    }
  });

  it('ends in provider_error when the provider is down', async () => {
    const down = await TestApp.start(
      {
        SVC_IDP_CLIENT_ID: 'latchkey',
        SVC_IDP_CLIENT_SECRET: 'x',
        SVC_IDP_TOKEN_URL: 'http://127.0.0.1:9/token',
        SVC_IDP_ISSUER: 'http://127.0.0.1:9',
      },
      { database: app.database },
    );
    const browser = down.browser();
    const { body } = await browser.get('/auth/oauth/idp/authorize-url');
    const state = new URL(body.authorization_url).searchParams.get('state');

    expect(await browser.get(`/auth/oauth/idp/callback?code=x&state=${state}`)).toMatchObject(
      failure('provider_error'),
    );
    await down.nest.close();
  });
});
