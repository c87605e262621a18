import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { completedSignup, loggedIn, loggedInAs } from '../support/accounts.js';
import { AiStandIn, begins, finish, writes } from '../support/ai-stand-in.js';
import { linked } from '../support/audit.js';
import type { Answer, Browser } from '../support/browser.js';
import { asMember, foundOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { TwoReplicas } from '../support/two-replicas.js';
import { until } from '../support/until.js';

const PATH = '/ai/activity-summary';
const DAY_MS = 86_400_000;

let ai: AiStandIn;
let replicas: TwoReplicas;
let app: TestApp;
let browser: Browser & { id: string; email: string };
beforeAll(async () => {
  ai = await AiStandIn.start();
  replicas = await TwoReplicas.start({ ...ai.variables, SVC_LIMIT_AI_PER_USER: '100/1h' });
  app = replicas.app;
});
afterAll(async () => {
  await replicas.close();
  await ai.close();
});
beforeEach(async () => {
  ai.requests.length = 0;
  ai.behaviour = writes('You logged in. ', 'Nothing looks unusual.');
  browser = await asMember(await completedSignup(app));
});

const inSummary = () => ai.lastText.split('\n').map((line) => line.split(', ')[1]);
const date = async (type: string, time: string) => {
  // Until then the job that links the events may hold them.
  await linked(app);
  await app.database.rows('UPDATE audit_events SET created_at = $3 WHERE user_id = $1 AND type = $2', [
    browser.id,
    type,
    time,
  ]);
};

describe('POST /ai/activity-summary', () => {
  it('answers with the text of the model, the number of events and their time', async () => {
    const { status, body } = await browser.post(PATH);

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        summary: 'You logged in. Nothing looks unusual.',
        events_considered: 3,
        since: expect.stringMatching(/Z$/),
      },
    });
    expect(Date.now() - Date.parse(body.since)).toBeGreaterThan(29 * DAY_MS);
    expect(ai.requests).toEqual([
      expect.objectContaining({ model: 'some-model', max_completion_tokens: 2_000 }),
    ]);
  });

  it('sends the model what the caller did and what was done to their account, newest first', async () => {
    await (await asMember(await loggedIn(app))).patch('/users/me', { name: 'Another name' });
    await browser.post('/password/forgot', { email: browser.email });
    await until(async () => (await browser.get('/audit-events')).body.data.length === 4);

    await browser.post(PATH, { scope: 'me' });

    expect(inSummary()).toEqual([
      'password.link_requested',
      'login.succeeded',
      'email.verified',
      'account.created',
    ]);
  });

  it('summarises the organization for its ORG_ADMIN, and for no other user', async () => {
    const org = await foundOrg(app);
    const system = await loggedInAs(app, 'sys_admin');

    await org.admin.patch(`/orgs/${org.id}`, { name: 'Another name' });
    await org.admin.patch(`/orgs/${org.id}/members/${org.readonly.id}`, { role: 'member' });

    expect((await org.admin.post(PATH, { scope: 'org' })).status).toBe(200);
    expect(inSummary()).toEqual(expect.arrayContaining(['org.updated', 'role.changed']));
    for (const other of [org.member, org.readonly, browser, system])
      expect(await other.post(PATH, { scope: 'org' })).toMatchObject({
        status: 403,
        body: { code: 'InsufficientRole' },
      });
  });

  it('begins at the time that the caller names, and by default a month ago', async () => {
    await date('account.created', '2026-01-31T09:30:00Z');
    await date('email.verified', '2026-02-01T09:30:00Z');

    const since = '2026-02-01T00:00:00.000Z';
    expect((await browser.post(PATH, { since })).body).toMatchObject({ events_considered: 2, since });
    expect((await browser.post(PATH)).body).toMatchObject({ events_considered: 1 });
    expect((await browser.post(PATH, { since: null })).body).toMatchObject({ events_considered: 1 });
  });

  it('considers the newest 200 events, and returns the time of the oldest', async () => {
    await app.database.rows(
      `INSERT INTO audit_events (id, type, actor_id, user_id, chain_id, created_at)
       SELECT ('019ca000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'logout', $1, $1, gen_random_uuid(),
              '2026-03-01T00:00:00Z'::timestamptz + n * interval '1 minute'
         FROM generate_series(1, 250) AS n`,
      [browser.id],
    );

    const { body } = await browser.post(PATH, { since: '2026-01-01T00:00:00Z' });

    // Beside the three of the account itself, the last 197 of the 250.
    expect(body).toMatchObject({ events_considered: 200, since: '2026-03-01T00:54:00.000Z' });
    expect(inSummary()).toHaveLength(200);
  });

  it('does not ask the provider when nothing was recorded', async () => {
    const since = new Date(Date.now() + DAY_MS).toISOString();

    expect(await browser.post(PATH, { since })).toMatchObject({
      status: 200,
      body: { summary: 'Nothing was recorded in this time.', events_considered: 0, since },
    });
    expect(ai.requests).toEqual([]);
  });

  it('asks for a session', async () => {
    expect(await app.browser().post(PATH)).toMatchObject({ status: 401, body: { code: 'Unauthenticated' } });
  });
});

describe('while a summary is written', () => {
  let answering: ServerResponse;
  let first: Promise<Answer>;
  beforeEach(async () => {
    ai.behaviour = (response) => {
      begins('You ')(response);
      answering = response;
    };
    first = browser.post(PATH);
    await until(() => ai.requests.length === 1);
  });

  it('every replica refuses the same user meanwhile, and serves them when it is over', async () => {
    const answers = await replicas.inParallel(2, (service) => {
      const tab = service.browser();
      for (const cookie of browser.jar) tab.jar.set(...cookie);
      return tab.post(PATH);
    });
    finish(answering);

    for (const answer of answers)
      expect(answer).toMatchObject({
        status: 429,
        headers: { 'retry-after': expect.stringMatching(/^(30|2\d)$/) },
        body: { code: 'TooManyRequests' },
      });
    expect((await first).status).toBe(200);
    ai.behaviour = writes('You logged in.');
    expect((await browser.post(PATH)).status).toBe(200);
  });

  it('every replica serves other users', async () => {
    ai.behaviour = writes('You logged in.');
    expect((await (await loggedIn(app)).post(PATH)).status).toBe(200);

    finish(answering);
    await first;
  });

  it('and its process dies, the user may ask again after half a minute', async () => {
    ai.behaviour = writes('You logged in.');
    await replicas.wait(0.5);
    expect((await browser.post(PATH)).status).toBe(200);

    finish(answering);
    await first;
  });
});

describe.each(['b2c', 'b2b'])('in %s', (mode) => {
  it('POST /ai/activity-summary works with a key, and without one is an unknown path', async () => {
    const { database } = app;
    const variables = { SVC_APP_MODE: mode, SVC_RATE_LIMITS: 'off' };
    const [on, off] = [
      await TestApp.start({ ...ai.variables, ...variables }, { database }),
      await TestApp.start(variables, { database }),
    ];
    const [closed, unknown] = [
      await off.browser().post(PATH, {}),
      await off.browser().post('/ai/no-such', {}),
    ];

    expect((await on.browser().post(PATH, {})).status).toBe(401);
    expect(closed).toMatchObject({ status: 404, body: { code: 'NotFound' } });
    expect({ ...closed.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
    await on.nest.close();
    await off.nest.close();
  });
});
