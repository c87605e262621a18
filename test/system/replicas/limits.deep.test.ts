import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD } from '../../support/accounts.js';
import { Balancer } from '../../support/balancer.js';
import { crowd, type Person } from '../../support/crowd.js';
import { statusOf } from '../../support/send.js';
import { Replicas, START_PATIENCE_MS } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';

let database: TestDatabase;
let service: Replicas;
let balancer: Balancer;
let person: Person;
beforeAll(async () => {
  database = await TestDatabase.create();
  service = await Replicas.start(database, 3, {
    SVC_RATE_LIMITS: 'on',
    SVC_TRUSTED_PROXIES: '127.0.0.1',
    // As many passwords as one replica hashes for a network at once, wherever the signups land.
    SVC_LIMIT_SIGNUP_PER_NETWORK: '12/1h',
  });
  balancer = await Balancer.start(service.replicas);
  [person] = (await crowd(database, 1)) as [Person];
}, START_PATIENCE_MS);
afterAll(async () => {
  await balancer.close();
  await service.kill();
  await database.close();
});

/** Posts at once to three replicas, and counts the answers by status. */
async function answersTo(
  requests: number,
  path: string,
  body: (index: number) => object,
  ip: (index: number) => string,
): Promise<Record<number, number>> {
  const post = (index: number) =>
    statusOf('POST', balancer.url + path, {
      body: body(index),
      headers: { 'x-forwarded-for': ip(index) },
    });
  const statuses = await Promise.all(Array.from({ length: requests }, (_, index) => post(index)));
  return Object.fromEntries(
    [...new Set(statuses)].map((status) => [status, statuses.filter((other) => other === status).length]),
  );
}

const everywhere = (index: number) => `198.51.100.${index}`;
const oneNetwork = () => '192.0.2.1';

describe('over three replicas', () => {
  it('an account allows ten failures of 200 at once, and then also refuses the right password', async () => {
    const wrong = () => ({ email: person.email, password: 'not the password' });

    expect(await answersTo(200, '/auth/login', wrong, everywhere)).toEqual({ 401: 10, 429: 190 });

    const right = () => ({ email: person.email, password: PASSWORD });
    expect(await answersTo(3, '/auth/login', right, everywhere)).toEqual({ 429: 3 });
  });

  it('a network gets twelve signups of 200 at once', async () => {
    const signup = () => ({ email: freshAddress(), password: PASSWORD });

    expect(await answersTo(200, '/auth/signup', signup, oneNetwork)).toEqual({ 202: 12, 429: 188 });
    expect(await database.value('SELECT count(*)::int FROM signups')).toBe(12);
  });

  it('an address gets one mail when 200 requests ask for it at once', async () => {
    const forgot = () => ({ email: person.email });

    expect(await answersTo(200, '/password/forgot', forgot, everywhere)).toEqual({ 202: 200 });
    const requested = `SELECT count(*)::int FROM audit_events WHERE type = 'password.link_requested'`;
    await until(async () => !(await database.value('SELECT EXISTS (SELECT FROM link_requests)')));
    expect(await database.value(requested)).toBe(1);
  });
});
