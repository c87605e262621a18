import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { calculateJwkThumbprint, createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { preflight } from '../../src/config/preflight/preflight.js';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { foundOrg, type Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { newTokenKey, TOKENS } from '../support/token-keys.js';

const ISSUER = 'http://localhost:3000';

type KeySet = ReturnType<typeof createRemoteJWKSet>;

let app: TestApp;
let member: Member;
let keys: KeySet;
beforeAll(async () => {
  app = await TestApp.start(TOKENS);
  keys = await keysOf(app);
  ({ member } = await foundOrg(app));
});
afterAll(() => app.close());

/** The keys of a service as a back end fetches them, which looks again for one that it does not know. */
async function keysOf(service: TestApp): Promise<KeySet> {
  const url = `http://127.0.0.1:${await service.listen()}/.well-known/jwks.json`;
  return createRemoteJWKSet(new URL(url), { cooldownDuration: 0 });
}

/** Verifies a token as a back end does. Throws when it is not good. */
const verify = (token: string, audience = 'reports', options = {}, by = keys) =>
  jwtVerify(token, by, { issuer: ISSUER, audience, algorithms: ['ES256'], ...options });

async function tokenFor(audience: string, caller = member): Promise<string> {
  return (await caller.post('/sessions/token', { audience })).body.token;
}

describe('POST /sessions/token', () => {
  it('signs who calls, so that a back end knows it without asking', async () => {
    const { user, session } = (await member.get('/users/me')).body;

    const answer = await member.post('/sessions/token', { audience: 'reports' });

    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    const { payload } = await verify(answer.body.token);
    const { iat = 0, exp = 0, ...claims } = payload;
    expect(claims).toEqual({
      iss: ISSUER,
      aud: 'reports',
      sub: user.id,
      sid: session.id,
      org_id: user.org_id,
      role: 'member',
      aal: 1,
      auth_time: Math.floor(Date.parse(session.authenticated_at) / 1000),
    });
    expect(exp - iat).toBe(120);
    expect(answer.body.expires_at).toBe(new Date(exp * 1000).toISOString());
  });

  it('signs a token that is worth nothing at another back end, or once it has expired', async () => {
    const token = await tokenFor('reports');

    await expect(verify(token, 'billing')).rejects.toThrow('unexpected "aud"');
    const later = { currentDate: new Date(Date.now() + 121_000) };
    await expect(verify(token, 'reports', later)).rejects.toThrow('"exp" claim timestamp check failed');
  });

  it('refuses a back end that is not named in the settings', async () => {
    for (const answer of [
      await member.post('/sessions/token', { audience: 'elsewhere' }),
      await member.get('/sessions/verify?audience=elsewhere'),
    ])
      expect(answer).toMatchObject({ status: 400, body: { code: 'UnknownAudience' } });
  });

  it('refuses a body with more or less in it, also after a right one', async () => {
    await tokenFor('reports');

    for (const body of [
      { audience: 'reports', toString: 1 },
      { audience: 'reports', role: 'owner' },
      ['reports'],
      {},
      undefined,
    ])
      expect(await member.post('/sessions/token', body)).toMatchObject({
        status: 400,
        body: { code: 'ValidationFailed' },
      });
  });

  it('signs no token that outlives its session', async () => {
    const { member: leaving } = await foundOrg(app);
    await app.database.rows(
      `UPDATE sessions SET expires_at = now() + interval '30 seconds' WHERE user_id = $1`,
      [leaving.id],
    );

    const { payload } = await verify(await tokenFor('reports', leaving));

    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(30);
  });

  it('tells the time by the clock of the database, not by its own', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
    const token = await tokenFor('reports');
    clock.mockRestore();

    const { payload } = await verify(token);
    expect(Math.abs((payload.iat ?? 0) - Date.now() / 1000)).toBeLessThan(60);
  });

  it('signs a token that opens nothing here', async () => {
    const token = await tokenFor('reports');

    for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `session_id=${token}` }])
      expect((await app.browser().get('/users/me', headers)).status).toBe(401);
  });
});

describe('GET /.well-known/jwks.json', () => {
  it('publishes the public half of a key, under the name that everyone makes of it alike', async () => {
    const { status, headers, body } = await app.browser().get('/.well-known/jwks.json');

    expect({ status, cached: headers['cache-control'] }).toEqual({
      status: 200,
      cached: 'public, max-age=300',
    });
    expect(body.keys).toHaveLength(1);
    const [{ kid, ...key }] = body.keys;
    const [x, y] = [expect.any(String), expect.any(String)];
    expect(key).toEqual({ kty: 'EC', crv: 'P-256', x, y, use: 'sig', alg: 'ES256' });
    expect(kid).toBe(await calculateJwkThumbprint(key));
  });
});

describe('Latchkey-Assertion', () => {
  it('is such a token, good for a minute, where the rule of a proxy names a back end', async () => {
    const { headers } = await member.get('/sessions/verify?min_role=member&audience=billing');

    const { payload } = await verify(String(headers['latchkey-assertion']), 'billing');
    expect(payload.sub).toBe(member.id);
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
  });

  it('is empty where the rule names none', async () => {
    expect((await member.get('/sessions/verify')).headers['latchkey-assertion']).toBe('');
  });
});

describe('a service without SVC_TOKEN_KEYS', () => {
  it('answers for the paths of tokens as for unknown ones, and knows no back end', async () => {
    const plain = await TestApp.start({}, { database: app.database });
    const caller = plain.browser();
    for (const cookie of member.jar) caller.jar.set(...cookie);

    const answers = [
      await caller.post('/sessions/token', { audience: 'reports' }),
      await caller.get('/.well-known/jwks.json'),
      await caller.get('/sessions/verify?audience=reports'),
    ];
    await plain.nest.close();

    expect(answers.map(({ body }) => body.code)).toEqual(['NotFound', 'NotFound', 'UnknownAudience']);
  });
});

describe('a key', () => {
  it('takes the place of another while back ends verify all along', async () => {
    const [former, fresh] = [newTokenKey(), newTokenKey()];
    const steps = [former, `${former},${fresh}`, `${fresh},${former}`, fresh];
    const signedBy = new Set<string | undefined>();
    let token: string | undefined;

    for (const SVC_TOKEN_KEYS of steps) {
      const service = await TestApp.start({ ...TOKENS, SVC_TOKEN_KEYS }, { database: app.database });
      const published = await keysOf(service);
      const caller = service.browser();
      for (const cookie of member.jar) caller.jar.set(...cookie);
      // What the step before signed is still good, but for the last step, which waits until it has expired.
      if (token && SVC_TOKEN_KEYS !== fresh) await verify(token, 'reports', {}, published);
      const signed: string = (await caller.post('/sessions/token', { audience: 'reports' })).body.token;
      await verify(signed, 'reports', {}, published);
      signedBy.add(decodeProtectedHeader(signed).kid);
      token = signed;
      await service.nest.close();
    }

    expect(signedBy.size).toBe(2);
  });

  it.each([
    ['is no key', 'c2VjcmV0'],
    ['is on another curve', keyOn('P-384')],
    ['is followed by one that is none', `${newTokenKey()},x`],
  ])('stops the start when it %s', (_, SVC_TOKEN_KEYS) => {
    const variables = { SVC_ENVIRONMENT: 'dev', ...TOKENS, SVC_TOKEN_KEYS };
    expect(() => parseEnvironment(variables)).toThrow('SVC_TOKEN_KEYS must be a P-256 key');
  });

  it('stops the start without a back end to sign for', () => {
    const { SVC_TOKEN_KEYS } = TOKENS;
    expect(() => parseEnvironment({ SVC_ENVIRONMENT: 'dev', SVC_TOKEN_KEYS })).toThrow(
      'SVC_TOKEN_AUDIENCES is missing',
    );
  });

  it('counts once: given twice it is found before the start', () => {
    const key = newTokenKey();
    const settings = parseEnvironment({ SVC_ENVIRONMENT: 'dev', ...TOKENS, SVC_TOKEN_KEYS: `${key},${key}` });
    expect(preflight({ ...settings, environment: 'prod' })).toContainEqual(
      expect.objectContaining({
        code: 'SECRET_REPEATED',
        text: 'SVC_TOKEN_KEYS holds the same secret twice.',
      }),
    );
  });
});

function keyOn(namedCurve: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve });
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}
