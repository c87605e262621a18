import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestApp } from '../support/test-app.js';

const SECRET = 'the secret of the machines and of the tests';
const WRONG = 'a guess';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({
    SVC_RATE_LIMITS: 'on',
    SVC_TRUSTED_PROXIES: '127.0.0.1',
    SVC_LIMIT_SECRET_PER_NETWORK: '3/15m',
    SVC_CRON_SECRET: SECRET,
    SVC_METRICS_TOKEN: SECRET,
  });
});
afterAll(() => app.close());
beforeEach(() => app.database.rows('TRUNCATE rate_limits'));

describe.each([
  ['GET', '/cron'],
  ['POST', '/cron'],
  ['GET', '/metrics'],
] as const)('%s %s', (method, path) => {
  const send = (authorization?: string, ip = '192.0.2.1') =>
    app
      .browser({ 'x-forwarded-for': ip, ...(authorization !== undefined && { authorization }) })
      .send(method, path);
  const lastEnd = () => JSON.parse(app.log.filter((line) => line.includes('request.ended')).at(-1) ?? '');
  const warnings = () => app.log.join('').match(/bearer_secret\.refused/g)?.length ?? 0;

  it('asks a caller without a secret for the secret', async () => {
    for (const authorization of [undefined, 'Basic bWU6bWU=', 'Bearer', 'Bearer '])
      expect(await send(authorization)).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer realm="latchkey"' },
        body: { code: 'Unauthenticated' },
      });
  });

  it('refuses a wrong secret as wrong', async () => {
    expect(await send(`Bearer ${WRONG}`)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="latchkey", error="invalid_token"' },
      body: { code: 'Unauthenticated' },
    });
  });

  it('counts the wrong secrets of a network, and never refuses the right one', async () => {
    const statuses: number[] = [];
    for (let times = 0; times < 4; times++) statuses.push((await send(`Bearer ${WRONG}`)).status);

    expect(statuses).toEqual([401, 401, 401, 429]);
    expect(await send(`Bearer ${WRONG}`)).toMatchObject({
      body: { code: 'TooManyRequests' },
      headers: { 'retry-after': expect.stringMatching(/^(900|89\d)$/) },
    });
    expect((await send(`Bearer ${WRONG}`, '192.0.2.2')).status).toBe(401);
    for (let times = 0; times < 5; times++) expect((await send(`Bearer ${SECRET}`)).status).toBe(200);
  });

  it('names the setting of the limit in the line of a request that it refuses', async () => {
    for (let times = 0; times < 3; times++) await send(`Bearer ${WRONG}`);
    expect(lastEnd()).not.toHaveProperty('limit');

    await send(`Bearer ${WRONG}`);
    expect(lastEnd()).toMatchObject({
      level: 'info',
      status: 429,
      code: 'TooManyRequests',
      limit: 'SVC_LIMIT_SECRET_PER_NETWORK',
    });
  });

  it('logs each attempt with a wrong secret until the limit, and never the secret', async () => {
    const before = warnings();
    for (let times = 0; times < 6; times++) await send(`Bearer ${WRONG}`);

    expect(warnings()).toBe(before + 3);
    const line = app.log
      .flatMap((text) => text.trim().split('\n'))
      .filter((text) => text.includes('bearer_secret.refused'))
      .at(-1);
    expect(JSON.parse(line ?? '')).toMatchObject({
      level: 'warn',
      event: 'bearer_secret.refused',
      msg: 'A caller presented a wrong secret.',
      route: `${method} ${path}`,
      code: 'Unauthenticated',
      request_id: expect.any(String),
    });
    expect(app.log.join('')).not.toContain(WRONG);
  });
});
