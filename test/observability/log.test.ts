import { beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { TestApp } from '../support/test-app.js';

const PASSWORD = 'a password of the log test';
const NEW_PASSWORD = 'another password of the log test';
const WRONG_PASSWORD = 'a wrong password of the log test';

/** The line that each request should leave in the log. */
const expected: Record<string, unknown>[] = [];
const secrets = new Set([PASSWORD, NEW_PASSWORD, WRONG_PASSWORD]);

let app: TestApp;
let browser: Browser;
let lines: Record<string, unknown>[];
let userId: string;

/** Sends a request, notes the line it is to leave, and keeps the cookies of the answer as secrets. */
async function send(method: 'GET' | 'POST', url: string, body: unknown, status: number, line: object = {}) {
  const answer = await browser.send(method, url, body);
  const request_id = answer.headers['x-request-id'];
  const code = answer.body?.code;
  const level = { 500: 'error', 503: 'warn' }[status] ?? 'info';
  expected.push({ level, request_id, method, route: url, status, ...(code && { code }), ...line });
  for (const token of browser.jar.values()) secrets.add(token);
  return answer;
}

/** An account from signup to deletion, on a service that logs as much as it can, and then stops. */
beforeAll(async () => {
  app = await TestApp.start({ SVC_LOG_LEVEL: 'trace' });
  browser = app.browser();
  const { database, mailbox, environment } = app;
  const email = freshAddress();
  const other = freshAddress();
  const mailed = async () => {
    const token = await mailbox.token(email);
    secrets.add(token);
    return token;
  };

  await send('POST', '/auth/signup', { email, password: PASSWORD }, 202);
  const verification = await mailed();
  await send('POST', '/auth/verify-email', { token: verification }, 200);
  await send('GET', `/verify-email?token=${verification}`, undefined, 404, { route: null });
  await send('GET', `/%zz?token=${verification}`, undefined, 400, { route: null });
  await send('POST', '/auth/login', `{"email":"${email}","password":"${PASSWORD}"`, 400);
  const { body } = await send('POST', '/auth/login', { email, password: PASSWORD }, 200);
  userId = body.user.id;
  const asUser = { user_id: userId };
  await send('GET', '/users/me', undefined, 200, asUser);
  await send('GET', '/health/live', undefined, 200, { level: 'debug' });
  await send('GET', '/health/ready', undefined, 200, { level: 'debug' });
  await send(
    'POST',
    '/password/update',
    { current_password: PASSWORD, new_password: NEW_PASSWORD },
    204,
    asUser,
  );
  await send('POST', '/password/forgot', { email }, 202);
  await send('POST', '/password/reset', { token: await mailed(), new_password: PASSWORD }, 204);
  await send('POST', '/auth/login', { email, password: WRONG_PASSWORD }, 401);
  await send('POST', '/auth/login', { email, password: PASSWORD }, 200);

  // A statement whose failure PostgreSQL explains with the whole row.
  await database.rows('ALTER TABLE signups ADD CONSTRAINT full_house CHECK (false) NOT VALID');
  await send('POST', '/auth/signup', { email: other, password: PASSWORD }, 500);
  await send('POST', '/auth/logout', undefined, 204, asUser);

  const hashes = await database.rows(`SELECT password_hash AS hash FROM users
    UNION SELECT encode(token_hash, 'hex') FROM sessions UNION SELECT encode(token_hash, 'hex') FROM one_time_tokens`);
  for (const { hash } of hashes) secrets.add(hash);
  for (const secret of [email, other, environment.jwtSecretKey[0], String(environment.databaseUrl)])
    secrets.add(secret);

  await database.takeDown();
  await send('POST', '/auth/login', { email, password: PASSWORD }, 503);
  await send('GET', '/health/ready', undefined, 503);

  await app.close();
  lines = app.log.map((line) => JSON.parse(line));
});

const requests = () => lines.filter(({ event }) => event === 'request.ended');

describe('the log', () => {
  it('has one line for each request, with the pattern of the route, the user and the code of a problem, by level', () => {
    const always = {
      time: expect.any(String),
      event: 'request.ended',
      duration_ms: expect.any(Number),
      msg: 'A request ended.',
    };

    expect(requests()).toEqual(expected.map((line) => ({ ...always, ...line })));
    expect(requests().map(({ code }) => code)).toEqual(
      expect.arrayContaining(['NotFound', 'BadRequest', 'InvalidCredentials', 'ServiceUnavailable']),
    );
  });

  it('has an event and a sentence in every line', () => {
    for (const line of lines)
      expect(line).toMatchObject({
        event: expect.stringMatching(/^([a-z_]+\.[a-z_]+|logout)$/),
        msg: expect.stringMatching(/\S/),
      });
  });

  it('names the event in each line that the framework did not write', () => {
    const contexts = lines.filter(({ event }) => event === 'nest.logged').map(({ context }) => context);

    expect(new Set(contexts)).toEqual(
      new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']),
    );
  });

  const failed = (status: number) =>
    expected.filter((line) => line.status === status).map(({ request_id }) => request_id);

  it('has a line for an error of the service, with the id and the code of the request and the stack', () => {
    const errors = lines.filter(({ level, event }) => level === 'error' && event === 'request.failed');

    expect(errors.map(({ request_id }) => request_id)).toEqual(failed(500));
    expect(errors[0]).toMatchObject({
      event: 'request.failed',
      code: 'InternalError',
      err: {
        name: 'QueryFailedError',
        message: expect.stringContaining('full_house'),
        code: '23514',
        stack: expect.stringMatching(/\n +at /),
      },
    });
  });

  it('has a warning for a request that came while the database was down, with the reason and no stack', () => {
    const warnings = lines.filter(({ level, event }) => level === 'warn' && event === 'request.failed');

    expect(warnings.map(({ request_id }) => request_id)).toEqual(failed(503));
    expect(warnings[0]).toMatchObject({ code: 'ServiceUnavailable', reason: expect.stringMatching(/\S/) });
    expect(warnings[0]).not.toHaveProperty('err');
  });

  it('has times in UTC and plausible durations', () => {
    for (const { time, duration_ms } of requests()) {
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
      expect(duration_ms).toBeGreaterThanOrEqual(0);
    }
  });

  it('has no password, token, cookie, hash or address in it, even at level trace', () => {
    const log = app.log.join('');

    expect(secrets.size).toBeGreaterThanOrEqual(15);
    for (const secret of secrets) expect(log).not.toContain(secret);
    expect(log).not.toMatch(/@example\.com|\$2[aby]\$|token=|session_id=|hmac-sha256/);
  });
});
