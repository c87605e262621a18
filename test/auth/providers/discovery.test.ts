import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freshAddress } from '../../support/accounts.js';
import { callbackAs, callbackOf, failure, IdentityProvider } from '../../support/identity-provider.js';
import { TestApp } from '../../support/test-app.js';

const DOCUMENT = '/.well-known/openid-configuration';
const HOUR_MS = 60 * 60 * 1000;
const WELCOME = { status: 302, headers: { location: 'http://localhost:5173/' } };

type Respond = (response: ServerResponse, issuer: string) => void;

/** A sound document of an issuer, but for some changes. */
const document =
  (changes: object = {}): Respond =>
  (response, issuer) =>
    response.end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/me`,
        ...changes,
      }),
    );
const text =
  (body: string, status = 200): Respond =>
  (response) =>
    response.writeHead(status).end(body);

/** Providers whose document is not to be used, by their ids. */
const UNUSABLE: Record<string, [string, Respond]> = {
  broken: ['answers 500', text('{}', 500)],
  moved: [
    'redirects to a document that would do',
    (response) => response.writeHead(302, { location: '/sound/.well-known/openid-configuration' }).end(),
  ],
  page: ['answers with a page', text('<html>foreign text')],
  nothing: ['answers with null', text('null')],
  huge: ['is larger than any document', document({ padding: 'x'.repeat(300_000) })],
  cut: ['cuts the connection', (response) => response.socket?.destroy()],
  nameless: ['names no issuer', document({ issuer: undefined })],
  foreign: ['names another issuer', document({ issuer: 'https://accounts.google.com' })],
  slashed: [
    'names its issuer with a slash',
    (response, issuer) => document({ issuer: `${issuer}/` })(response, issuer),
  ],
  template: ['names a template for issuers', document({ issuer: 'https://login.example/{tenantid}/v2.0' })],
  endless: ['has no authorization endpoint', document({ authorization_endpoint: undefined })],
  tokenless: ['has no token endpoint', document({ token_endpoint: null })],
  userless: ['has no user info', document({ userinfo_endpoint: '' })],
  plain: ['has an endpoint without HTTPS', document({ token_endpoint: 'http://provider.example/token' })],
  script: ['has a script for an endpoint', document({ authorization_endpoint: 'javascript:alert(1)' })],
  listed: ['has a list of endpoints', document({ token_endpoint: ['https://provider.example/token'] })],
};

let server: Server;
let app: TestApp;
let staff: IdentityProvider;
/** The paths that the server was asked for. */
const asked: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    const [, id = ''] = (request.url ?? '').split('/');
    asked.push(id);
    const issuer = `http://${request.headers.host}/${id}`;
    const [, respond] = UNUSABLE[id] ?? ['', document()];
    respond(response, issuer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { title: 'Some', client_id: 'latchkey', client_secret: 'the secret of the client' };
  const ids = [...Object.keys(UNUSABLE), 'sound', 'asked-once', 'asked-again', 'down'];

  staff = await IdentityProvider.start(callbackOf('staff'), ['client_secret_basic']);
  app = await TestApp.start({
    SVC_IDP_OTHERS: JSON.stringify([
      staff.entry,
      ...ids.map((id) => ({ id, issuer: `${base}/${id}`, ...client })),
      { id: 'remote', issuer: 'https://remote.example/', ...client },
    ]),
    SVC_LOG_LEVEL: 'warn',
  });
});
afterAll(async () => {
  await app.close();
  await staff.stop();
  server.closeAllConnections();
  server.close();
});

/** What stands in for a function of Node's during one test. */
const spies: { mockRestore: () => void }[] = [];
const undoSpies = () => {
  for (const spy of spies.splice(0)) spy.mockRestore();
};
afterEach(undoSpies);

const begin = (id: string) => app.browser().get(`/auth/oauth/${id}/authorize-url`);

function passTime(milliseconds: number): void {
  undoSpies();
  const now = performance.now.bind(performance);
  spies.push(jest.spyOn(performance, 'now').mockImplementation(() => now() + milliseconds));
}

/** Answers in place of a server that no test may ask. */
function standInFor(origin: string, answer: object) {
  const real = globalThis.fetch;
  return jest
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async (input, init) =>
      String(input).startsWith(origin) ? Response.json(answer) : real(input, init),
    );
}

describe('the document of a provider', () => {
  it('says where users are asked', async () => {
    const { status, body } = await begin('sound');

    expect(status).toBe(200);
    expect(new URL(body.authorization_url)).toMatchObject({
      pathname: '/sound/auth',
      protocol: 'http:',
      hostname: '127.0.0.1',
    });
  });

  it.each(Object.entries(UNUSABLE).map(([id, [reason]]) => [reason, id]))(
    'is not used when it %s: the answer is 503, and the log says which provider it is of',
    async (_, id) => {
      const before = app.log.length;
      const answer = await begin(id);

      expect(answer).toMatchObject({
        status: 503,
        body: { code: 'ServiceUnavailable' },
        headers: { 'retry-after': '5' },
      });
      expect(answer.cookies).toEqual([]);
      const lines = app.log.slice(before).join('');
      expect(lines).toContain('"event":"idp.discovery_failed"');
      expect(lines).toContain(`"provider":"${id}"`);
      expect(lines).not.toMatch(/foreign text|the secret of the client/);
    },
  );

  it('leaves the other providers alone when it cannot be used', async () => {
    const statuses = await Promise.all(['broken', 'sound', 'foreign', 'staff'].map(begin));
    expect(statuses.map(({ status }) => status)).toEqual([503, 200, 503, 200]);
  });

  it('is asked for once for all logins of a moment, and is kept', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => begin('asked-once')));
    await begin('asked-once');

    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(asked.filter((id) => id === 'asked-once')).toHaveLength(1);
  });

  it('is asked for again by the next login when it could not be read', async () => {
    UNUSABLE['asked-again'] = ['', text('', 503)];
    const failed = await Promise.all(Array.from({ length: 5 }, () => begin('asked-again')));
    delete UNUSABLE['asked-again'];

    expect(failed.map(({ status }) => status)).toEqual(Array(5).fill(503));
    expect(asked.filter((id) => id === 'asked-again')).toHaveLength(1);
    expect((await begin('asked-again')).status).toBe(200);
  });

  it('is kept for an hour, and not longer', async () => {
    expect((await begin('down')).status).toBe(200);
    UNUSABLE.down = ['', text('', 500)];

    passTime(HOUR_MS - 60_000);
    expect((await begin('down')).status).toBe(200);
    passTime(HOUR_MS + 1);
    expect((await begin('down')).status).toBe(503);
  });

  it('ends a login that is under way with provider_error when it cannot be read any more', async () => {
    const who = { sub: 'ada', email: freshAddress(), email_verified: true };
    const browser = app.browser();
    const callback = await callbackAs(staff, browser, who);

    passTime(HOUR_MS + 1);
    staff.faults.set(DOCUMENT, (response) => response.writeHead(500).end());
    expect(await browser.get(callback)).toMatchObject(failure('provider_error'));

    staff.faults.clear();
    expect(await browser.get(await callbackAs(staff, browser, who))).toMatchObject(WELCOME);
  });

  it('says that the token endpoint takes the secret in a header, by announcing that alone or by saying nothing', async () => {
    const login = async () => {
      const browser = app.browser();
      const who = { sub: freshAddress(), email: freshAddress(), email_verified: true };
      return browser.get(await callbackAs(staff, browser, who));
    };
    expect(await login()).toMatchObject(WELCOME);

    passTime(3 * HOUR_MS);
    staff.faults.set(DOCUMENT, (response) => document()(response, staff.issuer));
    expect(await login()).toMatchObject(WELCOME);
    staff.faults.clear();
  });
});

describe('the document of a provider elsewhere', () => {
  const issuer = 'https://remote.example/';
  const sound = {
    issuer,
    authorization_endpoint: 'https://remote.example/auth',
    token_endpoint: 'https://remote.example/token',
    userinfo_endpoint: 'https://remote.example/me',
  };

  it.each(['http://127.0.0.1:5432/token', 'http://localhost/token', 'https://[::1]/token'])(
    'may not send the codes of users to this machine: %s',
    async (token_endpoint) => {
      standInFor(issuer, { ...sound, token_endpoint });
      expect((await begin('remote')).status).toBe(503);
    },
  );

  it('stands below the issuer without the slash at its end', async () => {
    const fetched = standInFor(issuer, sound);

    expect((await begin('remote')).status).toBe(200);
    expect(String(fetched.mock.calls[0]?.[0])).toBe(
      'https://remote.example/.well-known/openid-configuration',
    );
  });
});
