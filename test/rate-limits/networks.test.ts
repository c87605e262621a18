import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await start('127.0.0.1, 10.0.0.0/8');
});
afterAll(() => app.close());
beforeEach(() => app.database.rows('TRUNCATE rate_limits'));

function start(proxies: string, database?: TestApp['database']): Promise<TestApp> {
  const variables = {
    SVC_RATE_LIMITS: 'on',
    SVC_TRUSTED_PROXIES: proxies,
    SVC_LIMIT_VERIFY_PER_NETWORK: '1/1h',
    SVC_LIMIT_FORGOT_PER_NETWORK: '1/1h',
  };
  return TestApp.start(variables, database ? { database } : {});
}

/** Whether a limit of one request lets a second one through, when the two come from these addresses. */
async function countsApart(one: string, other: string, service = app): Promise<boolean> {
  const send = async (forwarded: string) =>
    (await service.browser().post('/auth/verify-email', { token: 'x' }, { 'x-forwarded-for': forwarded }))
      .status;
  expect(await send(one)).toBe(400);
  return (await send(other)) === 400;
}

describe('a network', () => {
  it.each([
    ['192.0.2.1', '192.0.2.2'],
    ['2001:db8:1:1::1', '2001:db8:1:2::1'],
    ['2001:db8::1', '2001:db9::1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
    ['::1', '::1:0:0:0:1'],
    ['198.51.100.20:40001', '198.51.100.21:40001'],
    ['[2001:db8:1:1::1]:443', '[2001:db8:1:2::1]:443'],
    ['unknown, 10.0.0.1', '_hidden, 10.0.0.2'],
    ['unknown', '192.0.2.1'],
  ])('counts %s and %s apart', async (one, other) => {
    expect(await countsApart(one, other)).toBe(true);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:1::1', '2001:0DB8:1:1:ffff:ffff:ffff:ffff'],
    ['2001:db8::1', '2001:db8:0:0:1::'],
    ['192.0.2.1', '::ffff:192.0.2.1'],
    ['::ffff:c000:201', '::ffff:192.0.2.1'],
    ['198.51.100.20:40001', '198.51.100.20:_gazonk'],
    ['"[2001:db8:1:1::1]:443"', '[2001:db8:1:1::2]'],
    ['unknown', '_hidden:4711'],
    ['unknown, 10.0.0.1:443', '10.0.0.1'],
  ])('counts %s and %s together', async (one, other) => {
    expect(await countsApart(one, other)).toBe(false);
  });
});

describe('the /48 of an IPv6 address', () => {
  /** How many of these requests, one after the other, a limit of one request lets through. */
  async function passed(addresses: string[]): Promise<number> {
    const statuses = [];
    for (const ip of addresses)
      statuses.push(
        (await app.browser().post('/auth/verify-email', { token: 'x' }, { 'x-forwarded-for': ip })).status,
      );
    return statuses.filter((status) => status === 400).length;
  }

  it('may send eight times as many requests as a /64, whatever /64 of it sends them', async () => {
    const networks = Array.from({ length: 12 }, (_, index) => `2001:db8:1:${index.toString(16)}::1`);

    expect(await passed(networks)).toBe(8);
    expect(await passed(['2001:db8:2::1'])).toBe(1);
  });

  it('does not count the requests that the limit of one of its networks refuses', async () => {
    expect(await passed(Array(10).fill('2001:db8:1:1::1'))).toBe(1);
    expect(await passed(['2001:db8:1:2::1', '2001:db8:1:3::1'])).toBe(2);
  });

  it('is shown in the fields of the limit', async () => {
    const { headers } = await app
      .browser()
      .post('/password/forgot', { email: 'ada@example.com' }, { 'x-forwarded-for': '2001:db8:1:1::1' });

    expect(headers['ratelimit-policy']).toBe(
      '"forgotPerNetwork-3600";q=1;w=3600, "forgotPerNetworkSite-3600";q=8;w=3600',
    );
  });
});

describe('the address of a client', () => {
  it('is not what the client claims, where there is no proxy', async () => {
    const bare = await start('', app.database);

    expect(await countsApart('192.0.2.1', '192.0.2.2', bare)).toBe(false);
    await bare.nest.close();
  });

  it('is the last one that is no proxy, whatever the client claims before it', async () => {
    expect(await countsApart('203.0.113.1, 192.0.2.1, 10.0.0.1', '203.0.113.2, 192.0.2.1, 10.0.0.2')).toBe(
      false,
    );
    expect(await countsApart('203.0.113.1, 192.0.2.3', '203.0.113.1, 192.0.2.4')).toBe(true);
    expect(await countsApart('203.0.113.1, 192.0.2.5:80,, 10.0.0.1:80', 'unknown, 192.0.2.5')).toBe(false);
  });
});
