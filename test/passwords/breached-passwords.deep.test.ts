import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { growth, TOKEN } from '../observability/scrape.js';
import { freshAddress } from '../support/accounts.js';
import { whileCollecting } from '../support/garbage.js';
import {
  answers,
  type Behaviour,
  PwnedPasswordsStandIn,
  prefixOf,
} from '../support/pwned-passwords-stand-in.js';
import { TestApp } from '../support/test-app.js';

const STOLEN = 'a river of stolen horses';
const CLEAN = 'a river of horses that are mine';

/** Of which more than half is left for a machine that is busy. */
const PATIENCE_SECONDS = 4;

let pwned: PwnedPasswordsStandIn;
let app: TestApp;
beforeAll(async () => {
  pwned = await PwnedPasswordsStandIn.start();
  pwned.list(STOLEN);
  app = await TestApp.start({
    ...pwned.variables,
    SVC_METRICS_TOKEN: TOKEN,
    SVC_LOG_LEVEL: 'trace',
    SVC_DATABASE_POOL_SIZE: '2',
  });
});
afterAll(async () => {
  await app.close();
  await pwned.close();
});
beforeEach(() => {
  pwned.behaviour = answers;
  pwned.prefixes.length = 0;
});

const signup = (password: string, service = app) =>
  service.browser({}).post('/auth/signup', { email: freshAddress(), password });

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

const redirect: Behaviour = (response, range) => {
  if (pwned.prefixes.length > 1) answers(response, range);
  else response.writeHead(302, { location: response.req.url }).end();
};
const hang: Behaviour = () => {};
const drip: Behaviour = (response, range) => {
  const lines = range.split('\r\n');
  const timer = setInterval(() => response.write(`${lines.shift()}\r\n`), 100);
  response.on('close', () => clearInterval(timer));
};

describe('a stolen password', () => {
  it.each<[string, Behaviour]>([
    ['has no such file', (response) => void response.writeHead(404).end()],
    ['redirects to what it should have answered', redirect],
    ['hangs up', (response) => void response.socket?.destroy()],
    ['hangs up amid its answer', (response, range) => void response.write(range, () => response.destroy())],
    ['is in truth the page of a proxy', (response) => void response.end('<html>Log in to this network.')],
    ['answers nothing', (response) => void response.end()],
    ['answers 300 KB', (response, range) => void response.end(`${range}\r\n`.repeat(10))],
  ])('is accepted when Pwned Passwords %s', async (_, behaviour) => {
    pwned.behaviour = behaviour;
    expect((await signup(STOLEN)).status).toBe(202);
  });

  it.each<[string, Behaviour]>([
    ['hangs', hang],
    ['drips', drip],
  ])(
    'is accepted after a second when Pwned Passwords %s, and no signup waits for another one',
    async (_, behaviour) => {
      pwned.behaviour = behaviour;
      const signups = () => Promise.all(Array.from({ length: 12 }, () => signup(STOLEN)));

      const seconds = await secondsOf(async () => {
        for (const { status } of await signups()) expect(status).toBe(202);
      });

      expect(seconds).toBeGreaterThan(0.9);
      expect(seconds).toBeLessThan(PATIENCE_SECONDS);
    },
  );

  it('is accepted also when Pwned Passwords drips without an end while garbage is collected', async () => {
    pwned.behaviour = drip;
    expect((await whileCollecting(() => signup(STOLEN))).status).toBe(202);
  });

  it('is found in a file of a mirror, with other line breaks and in lower case', async () => {
    pwned.behaviour = (response, range) => answers(response, `${range.replaceAll('\r', '').toLowerCase()}\n`);

    expect((await signup(STOLEN)).body.code).toBe('WeakPassword');
    expect((await signup(CLEAN)).status).toBe(202);
  });

  it('is counted by what came of it, and a line of the log says why there was no answer', async () => {
    const lines = app.log.length;

    const grown = await growth(app, async () => {
      for (const password of [STOLEN, CLEAN]) await signup(password);
      pwned.behaviour = (response) => void response.writeHead(503).end();
      await signup(CLEAN);
    });

    for (const outcome of ['breached', 'clean', 'unavailable'])
      expect(grown).toMatchObject({ [`latchkey_breach_checks_total{outcome="${outcome}"}`]: 1 });
    const warnings = app.log.slice(lines).filter((line) => line.includes('breach_check.failed'));
    expect(warnings).toEqual([expect.stringContaining('Pwned Passwords answered 503')]);
  });

  it('is looked up by default in beta, in prod and in an unknown environment, and not in dev', async () => {
    const { SVC_BREACH_BASE_URL = '' } = pwned.variables;
    const lookedUp: Record<string, number> = {};
    for (const environment of ['dev', 'beta', 'prod', 'staging']) {
      pwned.prefixes.length = 0;
      const variables = { SVC_ENVIRONMENT: environment, SVC_BREACH_BASE_URL };
      const service = await TestApp.start(variables, { database: app.database });
      await signup(STOLEN, service);
      await service.nest.close();
      lookedUp[environment] = pwned.prefixes.length;
    }
    expect(lookedUp).toEqual({ dev: 0, beta: 1, prod: 1, staging: 1 });
  });

  // The last one: it reads what all the others have logged.
  it('stays out of the log, and so does its hash, whatever Pwned Passwords answers', () => {
    const log = app.log.join('');
    expect(log).toContain('breach_check.failed');
    for (const password of [STOLEN, CLEAN])
      for (const secret of [password, prefixOf(password), '/range/']) expect(log).not.toContain(secret);
  });
});
