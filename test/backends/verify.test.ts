import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, loggedInAs } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import type { Answer, Browser } from '../support/browser.js';
import { asMember, foundOrg, type Member } from '../support/orgs.js';
import { answerTo } from '../support/send.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const SPA = 'http://localhost:5173';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

let app: TestApp;
let member: Member;
beforeAll(async () => {
  app = await TestApp.start({ SVC_LOG_LEVEL: 'debug', SVC_ORGS_PER_USER: '3' });
  ({ member } = await foundOrg(app));
});
afterAll(() => app.close());

/** Asks as a back end that passes on the cookie of a caller, and what else it was sent. */
function ask(caller: Browser, headers: Record<string, string> = {}, query = '', method = 'GET') {
  const asker = app.browser({});
  for (const cookie of caller.jar) asker.jar.set(...cookie);
  return asker.send(method as 'GET', `/sessions/verify${query}`, undefined, headers);
}

const askStranger = (headers: Record<string, string> = {}, query = '', method = 'GET') =>
  ask(app.browser(), headers, query, method);

function identityIn({ headers }: Answer): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('latchkey-')));
}

const UNAUTHENTICATED = { status: 401, body: { code: 'Unauthenticated' } };
const NOT_ALLOWED = { status: 403, body: { code: 'OriginNotAllowed' } };

describe('/sessions/verify', () => {
  it('answers who calls, in the body and in headers, and lets no cache keep it', async () => {
    const me = (await member.get('/users/me')).body;

    const answer = await ask(member);

    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    const { last_seen_at: _, ...session } = me.session;
    expect(answer.body).toMatchObject({ user: me.user, session, subscribed: null });
    expect(identityIn(answer)).toEqual({
      'latchkey-user-id': me.user.id,
      'latchkey-email': me.user.email,
      'latchkey-role': 'member',
      'latchkey-org-id': me.user.org_id,
      'latchkey-session-id': me.session.id,
      'latchkey-aal': '1',
      'latchkey-subscribed': '',
      'latchkey-assertion': '',
    });
  });

  it('sends each header also where it has nothing to say, whatever the client sent by itself', async () => {
    const loner = await loggedIn(app);
    const forged = { 'latchkey-org-id': randomUUID(), 'latchkey-subscribed': 'true' };

    const identity = identityIn(await ask(loner, forged));

    expect(Object.keys(identity)).toEqual(Object.keys(identityIn(await ask(member))));
    expect(identity).toMatchObject({ 'latchkey-org-id': '', 'latchkey-subscribed': '' });
  });

  it('writes an address in ASCII, so that no two addresses look alike', async () => {
    const users = [await asMember(await loggedIn(app)), await asMember(await loggedIn(app))];
    const emails = ['zoë%@example.com', 'zo%C3%AB%@example.com'];
    for (const [index, { id }] of users.entries())
      await app.database.rows('UPDATE users SET email = $1 WHERE id = $2', [emails[index], id]);

    const answers = await Promise.all(users.map((user) => ask(user)));

    const sent = answers.map(({ headers }) => headers['latchkey-email']);
    expect(sent).toEqual(['zo%C3%AB%25@example.com', 'zo%25C3%25AB%25@example.com']);
    expect(sent.map((email) => decodeURIComponent(String(email)))).toEqual(emails);
  });

  it('refuses the very next request of a session that has ended, and of an account that was disabled', async () => {
    const [gone, disabled] = [await loggedIn(app), await asMember(await loggedIn(app))];
    expect([(await ask(gone)).status, (await ask(disabled)).status]).toEqual([200, 200]);
    const copy = app.browser({ cookie: [...gone.jar].map((pair) => pair.join('=')).join('; ') });

    await gone.post('/auth/logout');
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [disabled.id]);

    expect(await copy.get('/sessions/verify')).toMatchObject(UNAUTHENTICATED);
    expect(await ask(disabled)).toMatchObject(UNAUTHENTICATED);
  });

  it('notes that the session was seen', async () => {
    const seen = await asMember(await loggedIn(app));
    await app.database.rows(
      `UPDATE sessions SET last_seen_at = now() - interval '1 hour' WHERE user_id = $1`,
      [seen.id],
    );

    await ask(seen);

    const sql = `SELECT last_seen_at > now() - interval '1 minute' FROM sessions WHERE user_id = $1`;
    await until(() => app.database.value(sql, [seen.id]));
  });

  it('names no caller in an answer that admits none', async () => {
    const [token] = [...member.jar.values()];
    const refusals = [
      await askStranger(),
      await askStranger({ cookie: `session_id=${token}; session_id=${token}` }),
      await askStranger({ cookie: `session_id="${token}` }),
      await askStranger({ cookie: `session_id=${token}%00` }),
      await ask(member, {}, '?min_role=sys_admin'),
      await ask(member, { origin: 'https://evil.example' }),
      await ask(member, {}, '?min_role=admin'),
    ];

    expect(refusals.map(({ status }) => status)).toEqual([401, 401, 401, 401, 403, 403, 400]);
    for (const refusal of refusals) expect(identityIn(refusal)).toEqual({});
  });
});

describe('a documented proxy', () => {
  it.each(['identity_params', 'Caddyfile'])('copies each header: %s', async (file) => {
    const copied = readFileSync(`docs/backends/${file}`, 'utf8').toLowerCase();
    for (const name of Object.keys(identityIn(await ask(member)))) expect(copied).toContain(name);
  });
});

describe('the method of a request for /sessions/verify', () => {
  it.each(METHODS)('changes nothing in the answer: %s', async (method) => {
    const answer = await ask(member, {}, '', method);

    expect(answer.status).toBe(200);
    expect(identityIn(answer)['latchkey-user-id']).toBe(member.id);
    expect((await askStranger({}, '', method)).status).toBe(401);
  });

  it.each(METHODS)('does not make a foreign page welcome: %s', async (method) => {
    expect((await ask(member, { origin: 'https://evil.example' }, '', method)).status).toBe(403);
  });

  it('makes no preflight of it, which would be answered without a session', async () => {
    const preflight = { origin: SPA, 'access-control-request-method': 'POST' };

    expect((await app.browser(preflight).send('OPTIONS', '/users/me')).status).toBe(204);
    expect(await askStranger(preflight, '', 'OPTIONS')).toMatchObject(UNAUTHENTICATED);
  });

  it('comes with a body that is not read, whatever it is and is said to be', async () => {
    const port = await app.listen();
    const cookie = [...member.jar].map((pair) => pair.join('=')).join('; ');
    const head = `POST /sessions/verify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: ${cookie}\r\n`;

    for (const body of [
      'Content-Type: application/json\r\nContent-Length: 4\r\n\r\n{"a"',
      'Content-Type: text/plain\r\nContent-Length: 4\r\n\r\nsome',
      'Content-Type: application/json\r\nContent-Length: 400000\r\n\r\nnever sent to its end',
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{"a"\r\n',
    ])
      expect(await answerTo(port, head + body)).toMatchObject({ statusCode: 200 });
  });
});

describe('the rule in the query', () => {
  it.each([
    ['readonly', 'readonly', 200],
    ['readonly', 'member', 403],
    ['member', 'member', 200],
    ['member', 'org_admin', 403],
    ['org_admin', 'org_admin', 200],
    ['org_admin', 'sys_admin', 403],
    ['sys_admin', 'sys_admin', 200],
  ] as const)('has %s meet min_role=%s: %i', async (role, minRole, status) => {
    const caller = await loggedInAs(app, role);

    const answer = await ask(caller, {}, `?min_role=${minRole}`);

    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body.code).toBe('InsufficientRole');
  });

  it.each(['?min_role=admin', '?min_role=', '?minrole=member', '?min_role=readonly&min_role=sys_admin'])(
    'admits no caller when it is mistyped: %s',
    async (query) => {
      const root = await loggedInAs(app, 'sys_admin');
      expect(await ask(root, {}, query)).toMatchObject({ status: 400, body: { code: 'ValidationFailed' } });
    },
  );

  it('has the answer say whether the caller, or their organization, has a subscription', async () => {
    const subscriber = await asMember(await loggedIn(app));
    const says = async (caller: Browser) => {
      const answer = await ask(caller, {}, '?subscription=true');
      return [answer.body.subscribed, answer.headers['latchkey-subscribed']];
    };
    expect(await says(subscriber)).toEqual([false, 'false']);

    await app.database.rows(
      `INSERT INTO billing_customers (id, user_id, subscription_id, status)
       VALUES (gen_random_uuid(), $1, 'sub_1', 'active')`,
      [subscriber.id],
    );

    expect(await says(subscriber)).toEqual([true, 'true']);
    expect(await says(member)).toEqual([false, 'false']);
  });

  it('finds the subscription of the organization of the rule in the statement that finds the session', async () => {
    const [paying, other] = [await foundOrg(app), await foundOrg(app)];
    const consultant = paying.member;
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'member', 'invitation')`,
      [consultant.id, other.id],
    );
    await app.database.rows(
      `INSERT INTO billing_customers (id, org_id, subscription_id, status)
       VALUES (gen_random_uuid(), $1, 'sub_2', 'past_due')`,
      [paying.id],
    );
    await app.database.rows(
      `INSERT INTO billing_customers (id, user_id, subscription_id, status)
       VALUES (gen_random_uuid(), $1, 'sub_3', 'trialing')`,
      [consultant.id],
    );
    const pastDue = (since: string) =>
      app.database.rows(`UPDATE billing_customers SET past_due_since = ${since} WHERE org_id = $1`, [
        paying.id,
      ]);
    const says = async (caller: Browser, org: string) => {
      let answer: Answer | undefined;
      const statements = await statementsDuring(async () => {
        answer = await ask(caller, {}, `?subscription=true&org=${org}`);
      });
      return [answer?.body.subscribed, statements.length];
    };

    await pastDue(`now() - interval '6 days'`);
    expect(await says(consultant, paying.id)).toEqual([true, 1]);
    expect(await says(consultant, other.id)).toEqual([false, 1]);
    expect(await says(consultant, 'none')).toEqual([true, 1]);
    expect(await says(paying.admin, 'none')).toEqual([false, 1]);
    await pastDue(`now() - interval '8 days'`);
    expect(await says(consultant, paying.id)).toEqual([false, 1]);

    const root = await loggedInAs(app, 'sys_admin');
    await pastDue('now()');
    // Of an organization of others, the session says nothing: whether it is there, and what it pays, are asked.
    expect(await says(root, paying.id)).toEqual([true, 3]);
    expect(await says(root, other.id)).toEqual([false, 3]);
  });

  it.each([
    ['x-forwarded-uri', '/public'],
    ['x-original-url', '/health/live'],
    ['x-forwarded-method', 'OPTIONS'],
    ['x-http-method-override', 'OPTIONS'],
    ['x-forwarded-host', 'localhost:5173'],
    ['x-forwarded-prefix', '/health'],
  ])('is not changed by what describes the original request: %s', async (name, value) => {
    expect(await askStranger({ [name]: value })).toMatchObject(UNAUTHENTICATED);
    expect((await ask(member, { [name]: value }, '?min_role=org_admin')).status).toBe(403);
  });

  it('has a refusal recorded', async () => {
    const caller = await asMember(await loggedIn(app));

    const events = await eventsAfter(app, () => ask(caller, {}, '?min_role=org_admin'));

    const details = { code: 'InsufficientRole', route: 'GET /sessions/verify' };
    expect(events).toMatchObject([{ type: 'access.refused', user_id: caller.id, details }]);
  });
});

describe('a page that makes a browser ask a back end', () => {
  it.each([
    ['of the SPA', { origin: SPA, 'sec-fetch-site': 'same-site' }],
    ['that is the SPA itself, in a GET', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }],
    ['that a person typed in', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
    ['elsewhere, by a link', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ])('is admitted when it is one %s', async (_, headers) => {
    expect((await ask(member, headers)).status).toBe(200);
  });

  it.each([
    ['elsewhere', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['elsewhere, by a form', { origin: 'https://evil.example', 'sec-fetch-mode': 'navigate' }],
    ['elsewhere, as an image', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['of the service itself', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }],
    ['of a neighbouring host', { origin: 'http://reports.localhost:5173', 'sec-fetch-site': 'same-site' }],
    ['in a sandbox', { origin: 'null', 'sec-fetch-mode': 'navigate' }],
    ['elsewhere, by a WebSocket', { origin: 'https://evil.example', 'sec-fetch-mode': 'websocket' }],
  ])('is refused when it is one %s', async (_, headers) => {
    expect(await ask(member, headers)).toMatchObject(NOT_ALLOWED);
  });
});

describe('login=redirect', () => {
  const page = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };
  const asked = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'localhost:5173' };
  const askForPage = (headers: Record<string, string>) => askStranger(headers, '?login=redirect');

  it('sends a browser that asks for a page without a session to the login page', async () => {
    for (const headers of [page, { accept: 'text/html,*/*;q=0.8' }])
      expect(await askForPage(headers)).toMatchObject({
        status: 302,
        headers: { location: `${SPA}/login`, 'cache-control': 'no-store' },
      });
  });

  it('leads back from there to the page that was asked for', async () => {
    const { headers } = await askForPage({ ...page, ...asked, 'x-forwarded-uri': '/v1/report?year=2026' });
    expect(headers.location).toBe(`${SPA}/login?return_to=%2Fv1%2Freport%3Fyear%3D2026`);
  });

  it.each([
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-uri': '/x' },
    { 'x-forwarded-host': 'localhost:5173.evil.example', 'x-forwarded-uri': '/x' },
    { 'x-forwarded-host': 'localhost:5173@evil.example', 'x-forwarded-uri': '/x' },
    { 'x-forwarded-proto': 'https', 'x-forwarded-uri': '/x' },
    { 'x-forwarded-uri': '//evil.example' },
    { 'x-forwarded-uri': '/\\evil.example' },
    { 'x-forwarded-uri': '/..//evil.example' },
    { 'x-forwarded-uri': 'x' },
    {},
  ])('leads back nowhere when the headers are %j', async (forged) => {
    const { headers } = await askForPage({ ...page, ...asked, ...(forged as Record<string, string>) });
    expect(headers.location).toBe(`${SPA}/login`);
  });

  it('clears the cookie of a session that has ended', async () => {
    const { cookies } = await askForPage({ ...page, cookie: 'session_id=of-a-session-that-ended' });
    expect(cookies).toEqual([expect.stringMatching(/^session_id=;.*Max-Age=0/)]);
  });

  it('leaves what is no page, every other refusal, and who has a session as they are', async () => {
    expect(await askForPage({ 'sec-fetch-mode': 'cors', accept: 'text/html' })).toMatchObject(
      UNAUTHENTICATED,
    );
    expect(await askForPage({ accept: 'application/json' })).toMatchObject(UNAUTHENTICATED);
    expect(await askStranger(page)).toMatchObject(UNAUTHENTICATED);
    expect((await ask(member, page, '?login=redirect&min_role=org_admin')).status).toBe(403);
    expect((await ask(member, page, '?login=redirect')).status).toBe(200);
  });
});

describe('the log line of a request for /sessions/verify', () => {
  it('is for the eyes of a person who debugs when it is a 200, and for everyone when it is not', async () => {
    const levelsOf = async (headers: Record<string, string>) => {
      const { headers: answered } = await ask(member, headers);
      const isOf = (line: string) => line.includes(String(answered['x-request-id']));
      await until(async () => app.log.some(isOf));
      return app.log.filter(isOf).map((line) => JSON.parse(line).level);
    };

    expect(await levelsOf({})).toEqual(['debug']);
    expect(await levelsOf({ origin: 'https://evil.example' })).toEqual(['info']);
  });
});
