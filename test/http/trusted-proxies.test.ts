import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, verified } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';

const CLIENT = '198.51.100.7';

let app: TestApp;
let email: string;
beforeAll(async () => {
  app = await TestApp.start({ SVC_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7, fd00::/8, fe80::/10' });
  email = await verified(app);
});
afterAll(() => app.close());

/** The address that the service takes the client of a peer for, as the audit event of their login has it. */
async function addressOf(peer: string, forwardedFor = CLIENT, service = app): Promise<string> {
  const answer = await service.nest.inject({
    method: 'POST',
    url: '/auth/login',
    payload: { email, password: PASSWORD },
    remoteAddress: peer,
    headers: { 'x-forwarded-for': forwardedFor },
  });
  expect(answer.statusCode).toBe(200);
  return app.database.value(
    `SELECT ip FROM audit_events WHERE type = 'login.succeeded' ORDER BY id DESC LIMIT 1`,
  );
}

const warnings = ({ log }: TestApp) =>
  log.map((line) => JSON.parse(line)).filter(({ event }) => event === 'setting.doubtful');

describe('the X-Forwarded-For of a peer', () => {
  it.each(['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.7', 'fd12::1', 'fe80::1%eth0'])(
    'is believed when the peer is %s, which SVC_TRUSTED_PROXIES names',
    async (peer) => {
      expect(await addressOf(peer)).toBe(CLIENT);
    },
  );

  it.each(['11.0.0.1', '192.0.2.8', '2001:db8::1'])(
    'is not believed when the peer is %s, which it does not name',
    async (peer) => {
      expect(await addressOf(peer)).toBe(peer);
    },
  );

  it('is believed as far as it names proxies', async () => {
    expect(await addressOf('10.0.0.7', `203.0.113.9, ${CLIENT}, 10.0.0.8`)).toBe(CLIENT);
  });

  it('is believed from every peer when SVC_TRUSTED_PROXIES is 0.0.0.0/0 and ::/0', async () => {
    const open = await TestApp.start({ SVC_TRUSTED_PROXIES: '0.0.0.0/0,::/0' }, { database: app.database });

    for (const peer of ['203.0.113.9', '2001:db8::1'])
      expect(await addressOf(peer, CLIENT, open)).toBe(CLIENT);
    await open.nest.close();
  });
});

describe('a peer that sends X-Forwarded-For and is not named', () => {
  it('leaves one warning outside dev', async () => {
    const variables = { SVC_TRUSTED_PROXIES: '10.0.0.7', SVC_ENVIRONMENT: 'beta' };
    const service = await TestApp.start(variables, { database: app.database });
    const ask = (remoteAddress: string, headers = {}) =>
      service.nest.inject({ url: '/health/live', remoteAddress, headers });

    await ask('10.0.0.7', { 'x-forwarded-for': CLIENT });
    await ask('10.0.0.8');
    expect(warnings(service)).toEqual([]);

    for (const peer of ['10.0.0.8', '10.0.0.9']) await ask(peer, { 'x-forwarded-for': CLIENT });
    expect(warnings(service)).toMatchObject([
      {
        level: 'warn',
        event: 'setting.doubtful',
        msg: 'Requests come with X-Forwarded-For from 10.0.0.8, which SVC_TRUSTED_PROXIES does not name: all clients count as one.',
      },
    ]);
    await service.nest.close();
  });

  it('leaves none where it is the client before a proxy that is named', async () => {
    const variables = { SVC_TRUSTED_PROXIES: '10.0.0.7', SVC_ENVIRONMENT: 'beta' };
    const service = await TestApp.start(variables, { database: app.database });

    await service.nest.inject({
      url: '/health/live',
      remoteAddress: '10.0.0.7',
      headers: { 'x-forwarded-for': `unknown, ${CLIENT}:4711` },
    });

    expect(warnings(service)).toEqual([]);
    await service.nest.close();
  });

  it('leaves none in dev', () => {
    expect(warnings(app)).toEqual([]);
  });
});

describe('a proxy that names no address of its client', () => {
  it('leaves one warning outside dev, which holds nothing that the client wrote', async () => {
    const variables = { SVC_TRUSTED_PROXIES: '10.0.0.7', SVC_ENVIRONMENT: 'beta' };
    const service = await TestApp.start(variables, { database: app.database });

    for (const said of ['unknown', '_hidden', '198.51.100.7:http'])
      await service.nest.inject({
        url: '/health/live',
        remoteAddress: '10.0.0.7',
        headers: { 'x-forwarded-for': `${CLIENT}, ${said}` },
      });

    expect(warnings(service)).toMatchObject([
      {
        level: 'warn',
        code: 'FORWARDED_FOR_UNREADABLE',
        msg: 'The proxy 10.0.0.7 sends an X-Forwarded-For that ends with no address: all its clients count as one.',
      },
    ]);
    await service.nest.close();
  });
});
