import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, PASSWORD, signedUp, verified } from '../support/accounts.js';
import { appOwner, pendingLogin, SECOND_FACTOR } from '../support/authenticator-app.js';
import { callbackAs, loginThrough, startWithProvider } from '../support/identity-provider.js';
import { foundOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { describeWithPromtool, promtool } from './promtool.js';
import { growth, scrape, TOKEN } from './scrape.js';

const CRON_SECRET = 'the secret of the scheduler and of the tests';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_METRICS_TOKEN: TOKEN, SVC_CRON_SECRET: CRON_SECRET, SVC_BCRYPT_COST: '9' });
});
afterAll(() => app.close());

const login = (email: string, password = PASSWORD) => app.browser().post('/auth/login', { email, password });
const prune = (query = '') => app.browser({ authorization: `Bearer ${CRON_SECRET}` }).post(`/cron${query}`);

describe('GET /metrics', () => {
  it('answers in the text format of Prometheus', async () => {
    const answer = await app.browser({ authorization: `bearer ${TOKEN}` }).get('/metrics');

    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
    });
    expect(answer.text).toMatch(/^# HELP latchkey_logins_total .+\n# TYPE latchkey_logins_total counter$/m);
  });

  it.each([
    ['without a token', {}],
    ['with a wrong token', { authorization: 'Bearer a wrong one' }],
    ['with the token and more', { authorization: `Bearer ${TOKEN}.` }],
    ['with the secret of /cron', { authorization: `Bearer ${CRON_SECRET}` }],
  ])('refuses a caller %s', async (_, headers) => {
    expect(await app.browser(headers).get('/metrics')).toMatchObject({
      status: 401,
      body: { code: 'Unauthenticated' },
    });
  });

  it('is an unknown path where no token is set', async () => {
    const closed = await TestApp.start({}, { database: app.database });
    const [answer, unknown] = await Promise.all([
      closed.browser({ authorization: `Bearer ${TOKEN}` }).get('/metrics'),
      closed.browser().get('/no-such-path'),
    ]);
    await closed.nest.close();

    expect({ ...answer.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
    expect(answer.body.code).toBe('NotFound');
  });
});

describe('the metrics', () => {
  it('are those that docs/observe.md lists', async () => {
    const { text } = await app.browser({ authorization: `Bearer ${TOKEN}` }).get('/metrics');
    const served = [...text.matchAll(/^# TYPE (latchkey_\w+)/gm)].map(([, name]) => name);
    const document = readFileSync('docs/observe.md', 'utf8');
    const listed = [...document.matchAll(/`(latchkey_\w+)`/g)].map(([, name]) => name);

    expect(new Set(served)).toEqual(new Set(listed));
  });

  it('count requests by the pattern of their route, and all unknown paths as one', async () => {
    const grown = await growth(app, async () => {
      await app.browser().delete('/sessions/01a1fab1-b331-7244-ab8e-0fcc455f8898');
      await app.browser().delete('/sessions/none');
      await app.browser().get('/nowhere');
      await app.browser().get('/users/me/nowhere?token=x');
      await app.browser().get('/%zz');
    });

    expect(grown).toMatchObject({
      'latchkey_http_requests_total{method="DELETE",route="/sessions/:id",status="401"}': 2,
      'latchkey_http_requests_total{method="GET",route="unknown",status="404"}': 2,
      'latchkey_http_requests_total{method="GET",route="unknown",status="400"}': 1,
      'latchkey_http_request_duration_seconds_count{method="GET",route="unknown"}': 3,
      'latchkey_http_request_duration_seconds_bucket{le="10",method="DELETE",route="/sessions/:id"}': 2,
    });
    expect(Object.keys(grown).join()).not.toMatch(/nowhere|token|01a1/);
  });

  it('count sessions that start, and requests refused for want of one', async () => {
    const grown = await growth(app, async () => {
      await loggedIn(app);
      await app.browser().get('/users/me');
      await app.browser({ cookie: 'session_id=stale' }).get('/users/me');
      await app.browser({ cookie: 'session_id=stale' }).get('/users/me');
    });

    expect(grown).toMatchObject({
      'latchkey_sessions_started_total{method="password"}': 1,
      'latchkey_sessions_refused_total{cookie="none"}': 1,
      'latchkey_sessions_refused_total{cookie="stale"}': 2,
    });
  });

  it('count requests refused for their organization', async () => {
    const { id, member } = await foundOrg(app);
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'member', 'invitation')`,
      [member.id, (await foundOrg(app)).id],
    );
    await app.database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [id]);

    const grown = await growth(app, async () => {
      await member.get('/audit-events?scope=org');
      await member.get(`/sessions/verify?org=${crypto.randomUUID()}`);
      await member.get(`/orgs/${id}`);
    });

    expect(grown).toMatchObject({
      'latchkey_org_requests_refused_total{reason="none_named"}': 1,
      'latchkey_org_requests_refused_total{reason="no_member"}': 1,
      'latchkey_org_requests_refused_total{reason="unmet"}': 1,
    });
  });

  it('count logins with a password by their outcome', async () => {
    const grown = await growth(app, async () => {
      const { email } = await loggedIn(app);
      await login(email, 'a wrong password');
      await login(freshAddress());
      await login(await signedUp(app));
    });

    expect(grown).toMatchObject({
      'latchkey_logins_total{method="password",outcome="success"}': 1,
      'latchkey_logins_total{method="password",outcome="InvalidCredentials"}': 2,
      'latchkey_logins_total{method="password",outcome="EmailNotVerified"}': 1,
    });
  });

  it('count logins that lack their second step, and how those end', async () => {
    const owner = await appOwner(app);
    const grown = await growth(app, async () => {
      const browser = await pendingLogin(app, owner);
      await browser.post(SECOND_FACTOR, { totp: owner.app.wrongCode() });
      await browser.post(SECOND_FACTOR, { totp: owner.app.code() });
    });

    expect(grown).toMatchObject({
      'latchkey_logins_total{method="password",outcome="second_step"}': 1,
      'latchkey_logins_total{method="second_step",outcome="InvalidCode"}': 1,
      'latchkey_logins_total{method="second_step",outcome="success"}': 1,
      'latchkey_sessions_started_total{method="password"}': 1,
    });
    expect(grown).not.toHaveProperty(['latchkey_logins_total{method="password",outcome="success"}']);
  });

  it('count the requests that a limit refuses, by its setting, from 0', async () => {
    const variables = {
      SVC_METRICS_TOKEN: TOKEN,
      SVC_RATE_LIMITS: 'on',
      SVC_LIMIT_SECRET_PER_NETWORK: '1/15m',
    };
    const limited = await TestApp.start(variables, { database: app.database });
    const series = 'latchkey_requests_limited_total{limit="SVC_LIMIT_SECRET_PER_NETWORK"}';
    const first = await scrape(limited);

    const grown = await growth(limited, async () => {
      for (let times = 0; times < 3; times++)
        await limited.browser({ authorization: 'Bearer x' }).get('/metrics');
    });
    await limited.nest.close();

    expect(first.get(series)).toBe(0);
    expect(first.get('latchkey_requests_limited_total{limit="SVC_LIMIT_SIGNUP_PER_NETWORK"}')).toBe(0);
    expect(grown[series]).toBe(2);
  });

  it('count the runs of a job that failed, from 0', async () => {
    const series = 'latchkey_jobs_failed_total{job="link_requests"}';
    expect((await scrape(app)).get(series)).toBe(0);
    expect((await scrape(app)).get('latchkey_jobs_failed_total{job="audit"}')).toBe(0);

    await app.database.rows('ALTER TABLE link_requests RENAME TO elsewhere');
    await until(async () => {
      await app.database.rows('NOTIFY link_requests');
      return Number((await scrape(app)).get(series)) > 0;
    });
    await app.database.rows('ALTER TABLE elsewhere RENAME TO link_requests');
  });

  it('name the version of the service, the commit of its build and the version of Node', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const series = `latchkey_build_info{version="${version}",commit="unknown",node="${process.versions.node}"}`;
    expect((await scrape(app)).get(series)).toBe(1);
  });

  it('count the rows a prune deletes, and not those it only counts', async () => {
    const email = await verified(app);
    await app.browser().post('/password/forgot', { email });
    await app.mailbox.last(email);
    await app.database.rows(`UPDATE one_time_tokens SET expires_at = now() - interval '1 second'`);
    const tokens = await app.database.value('SELECT count(*)::int FROM one_time_tokens');

    expect(await growth(app, () => prune('?dry_run=true'))).not.toHaveProperty([
      'latchkey_pruned_rows_total{table="one_time_tokens"}',
    ]);
    expect(await growth(app, () => prune())).toMatchObject({
      'latchkey_pruned_rows_total{table="one_time_tokens"}': tokens,
    });
  });

  it('show when the last prune succeeded, on every replica', async () => {
    const series = 'latchkey_prune_last_success_timestamp_seconds';
    const replica = await TestApp.start({ SVC_METRICS_TOKEN: TOKEN }, { database: app.database });
    await app.database.rows('UPDATE scheduled_jobs SET succeeded_at = NULL');
    expect([...(await scrape(replica)).keys()]).not.toContain(series);

    await prune();

    const succeededAt = await app.database.value('SELECT succeeded_at FROM scheduled_jobs');
    expect((await scrape(replica)).get(series)).toBe(succeededAt.getTime() / 1000);
    await replica.nest.close();
  });

  it('show how many connections to the database are open, and what Prometheus expects of a process', async () => {
    const figures = await scrape(app);

    const open = figures.get('latchkey_database_pool_connections') ?? 0;
    expect(open).toBeGreaterThan(0);
    expect(figures.get('latchkey_database_pool_idle_connections')).toBeLessThanOrEqual(open);
    expect(figures.get('latchkey_database_pool_waiting')).toBe(0);
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ])
      expect(figures.get(name)).toBeGreaterThan(0);
  });
});

describe('the metrics of logins through the identity provider', () => {
  it('count them by their outcome', async () => {
    const { app: withProvider, provider, stop } = await startWithProvider({ SVC_METRICS_TOKEN: TOKEN });
    const ada = { sub: 'ada', email: freshAddress(), email_verified: true };

    const grown = await growth(withProvider, async () => {
      await loginThrough(provider, withProvider.browser(), ada);
      await loginThrough(provider, withProvider.browser(), 'cancel');
      const elsewhere = await callbackAs(provider, withProvider.browser(), ada);
      await withProvider.browser().get(elsewhere);
    });
    await stop();

    expect(grown).toMatchObject({
      'latchkey_sessions_started_total{method="idp"}': 1,
      'latchkey_logins_total{method="idp",outcome="success"}': 1,
      'latchkey_logins_total{method="idp",outcome="access_denied"}': 1,
      'latchkey_logins_total{method="idp",outcome="invalid_state"}': 1,
    });
  });
});

describe('when the database does not answer', () => {
  it('a scrape shows the other metrics', async () => {
    await prune();
    const figures = await app.database.whileDown(() => scrape(app));

    expect([...figures.keys()]).toContain('latchkey_password_hashes_active');
    expect([...figures.keys()]).not.toContain('latchkey_prune_last_success_timestamp_seconds');
    expect([...(await scrape(app)).keys()]).toContain('latchkey_prune_last_success_timestamp_seconds');
  });
});

describeWithPromtool('the metrics, as promtool judges them', () => {
  it('have no fault, and each a sentence', async () => {
    const { text } = await app.browser({ authorization: `Bearer ${TOKEN}` }).get('/metrics');
    expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
  });
});
