import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress } from '../../support/accounts.js';
import {
  callbackAs,
  callbackOf,
  failure,
  IdentityProvider,
  loginThrough,
} from '../../support/identity-provider.js';
import { TestApp } from '../../support/test-app.js';

const DOCUMENT = '/.well-known/openid-configuration';
const WELCOME = { status: 302, headers: { location: 'http://localhost:5173/' } };

/** No login through a provider that works takes as long as the time limit of one request to another. */
const SOON_MS = 4_000;

type Respond = (response: ServerResponse) => void;

const hang: Respond = () => {};
const broken: Respond = (response) => response.writeHead(500).end();
const cut: Respond = (response) => response.socket?.destroy();
const redirect: Respond = (response) => response.writeHead(302, { location: '/elsewhere' }).end();

let failing: IdentityProvider;
let sound: IdentityProvider;
let app: TestApp;
beforeAll(async () => {
  [failing, sound] = await Promise.all([
    IdentityProvider.start(callbackOf('failing')),
    IdentityProvider.start(callbackOf('sound')),
  ]);
  app = await startService();
});
afterAll(async () => {
  await app.close();
  await Promise.all([failing.stop(), sound.stop()]);
});
afterEach(() => failing.faults.clear());

/** A service that has asked no provider yet; `own` is one whose database it shares. */
function startService(own?: TestApp): Promise<TestApp> {
  const variables = { SVC_IDP_OTHERS: JSON.stringify([failing.entry, sound.entry]) };
  return TestApp.start(variables, own && { database: own.database });
}

const newAccount = () => ({ sub: freshAddress(), email: freshAddress(), email_verified: true });

/** Logs in through the provider that works, and returns how long it took. */
async function loginSoundly(service: TestApp): Promise<number> {
  const startedAt = performance.now();
  expect(await loginThrough(sound, service.browser(), newAccount())).toMatchObject(WELCOME);
  return performance.now() - startedAt;
}

describe.each<[string, Respond, number]>([
  ['hangs', hang, 5_000],
  ['answers 500', broken, 0],
  ['cuts connections', cut, 0],
  ['redirects', redirect, 0],
])('a provider that %s', (_, fault, milliseconds) => {
  it('is 503 where its logins begin, in time, and the logins through another one go on meanwhile', async () => {
    const service = await startService(app);
    failing.faults.set(DOCUMENT, fault);
    failing.asked.length = 0;

    const startedAt = performance.now();
    const begun = Array.from({ length: 20 }, () =>
      service.browser().get('/auth/oauth/failing/authorize-url'),
    );
    expect(await loginSoundly(service)).toBeLessThan(SOON_MS);
    const answers = await Promise.all(begun);

    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      Array(20).fill([503, 'ServiceUnavailable']),
    );
    expect(performance.now() - startedAt).toBeLessThan(milliseconds + SOON_MS);
    expect(failing.asked.filter((path) => path === DOCUMENT)).toHaveLength(1);
    failing.faults.clear();
    expect(await loginThrough(failing, service.browser(), newAccount())).toMatchObject(WELCOME);
    await service.nest.close();
  });

  it.each(['/token', '/me'])(
    'at %s leads to the login page, in time, and the logins through another one go on meanwhile',
    async (path) => {
      const browser = app.browser();
      const callback = await callbackAs(failing, browser, newAccount());
      failing.faults.set(path, fault);

      const startedAt = performance.now();
      const failed = browser.get(callback);
      expect(await loginSoundly(app)).toBeLessThan(SOON_MS);

      expect(await failed).toMatchObject(failure('provider_error'));
      expect(performance.now() - startedAt).toBeLessThan(milliseconds + SOON_MS);
      expect(browser.jar.has('session_id')).toBe(false);
    },
  );
});

describe('a provider that is down', () => {
  it('leaves the logins through another one alone', async () => {
    const down = await IdentityProvider.start(callbackOf('down'));
    await down.stop();
    const variables = { SVC_IDP_OTHERS: JSON.stringify([down.entry, sound.entry]) };
    const service = await TestApp.start(variables, { database: app.database });

    expect((await service.browser().get('/auth/oauth/down/authorize-url')).status).toBe(503);
    expect(await loginSoundly(service)).toBeLessThan(SOON_MS);
    await service.nest.close();
  });
});
