import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceProcess, START_PATIENCE_MS } from '../../support/service-process.js';
import { BegunSignup } from '../../support/signups.js';
import { TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';

const TOKEN = 'the token of the scraper and of the tests';

let database: TestDatabase;
let service: ServiceProcess;
beforeAll(async () => {
  database = await TestDatabase.create();
  service = await ServiceProcess.start(database, {
    SVC_WORKERS: '2',
    SVC_LOG_LEVEL: 'info',
    SVC_RATE_LIMITS: 'off',
    SVC_METRICS_TOKEN: TOKEN,
  });
  await until(() => workers().length === 2);
}, START_PATIENCE_MS);
afterAll(async () => {
  await service.kill();
  await database.close();
});

/** The processes of the workers that have begun to serve, the dead ones among them. */
const workers = () =>
  [...service.output.matchAll(/"worker":(\d+),"event":"service.started"/g)].map(([, pid]) => Number(pid));

/** Requests on connections of their own, which the workers take in turn. */
function tenRequests(): Promise<number[]> {
  const request = () => fetch(`${service.url}/users/me`, { headers: { connection: 'close' } });
  return Promise.all(Array.from({ length: 10 }, async () => (await request()).status));
}

const TEN_ANSWERS = Array(10).fill(401);

describe('two workers', () => {
  it('share the port, and count as one for Prometheus', async () => {
    expect(await tenRequests()).toEqual(TEN_ANSWERS);
    await database.rows(
      `INSERT INTO outbox_mails (id, kind, recipient, subject, due_at)
       VALUES (gen_random_uuid(), 'welcome', 'ada@example.com', 'Hello', 'infinity')`,
    );

    const answer = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const figures = await answer.text();
    const answered = [...service.output.matchAll(/"worker":(\d+),.*"route":"\/users\/me"/g)];

    expect(new Set(answered.map(([, pid]) => Number(pid)))).toEqual(new Set(workers()));
    expect(figures).toContain(
      'latchkey_http_requests_total{method="GET",route="/users/me",status="401"} 10\n',
    );
    // Both read it from PostgreSQL.
    expect(figures).toContain('latchkey_outbox_mails{state="waiting"} 1\n');
  });

  it('are two again after one was killed, and the other serves meanwhile', async () => {
    process.kill(Number(workers()[0]), 'SIGKILL');
    await until(() => service.output.includes('worker.ended'));

    expect(await tenRequests()).toEqual(TEN_ANSWERS);
    await until(() => new Set(workers()).size === 3);
    expect(await tenRequests()).toEqual(TEN_ANSWERS);
  });

  it('finish the requests in flight on SIGTERM, and the process exits with 0', async () => {
    const signups = await Promise.all(Array.from({ length: 20 }, () => BegunSignup.at(service.port)));

    const stopped = service.stop();
    await until(() => service.output.match(/service\.stopping/g)?.length === 2);
    const answers = await Promise.all(signups.map((signup) => signup.finish()));

    expect(answers).toEqual(Array(20).fill(202));
    expect(await stopped).toBe(0);
    expect(await database.value('SELECT count(*)::int FROM signups')).toBe(20);
  });

  it('end with their primary when it is killed', async () => {
    await service.restart();
    await service.kill();

    const isGone = () =>
      tenRequests().then(
        () => false,
        () => true,
      );
    await until(isGone);
  });
});
