import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD } from '../../support/accounts.js';
import { crowd } from '../../support/crowd.js';
import { MailapiStandIn } from '../../support/mailapi-stand-in.js';
import { cookiesOf } from '../../support/send.js';
import { ServiceProcess } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';

const HOURS_OFF = 30;

const SHIFT_CLOCK = fileURLToPath(new URL('shift-clock.js', import.meta.url));

let database: TestDatabase;
let mailapi: MailapiStandIn;
let replicas: { ahead: ServiceProcess; right: ServiceProcess; behind: ServiceProcess };
beforeAll(async () => {
  [database, mailapi] = await Promise.all([TestDatabase.create(), MailapiStandIn.start()]);
  const start = (hours: number) =>
    ServiceProcess.start(database, {
      ...mailapi.variables,
      NODE_OPTIONS: `--import=${SHIFT_CLOCK}`,
      SHIFT_CLOCK_HOURS: String(hours),
      SVC_BASE_API_URL: 'http://localhost:3000',
      SVC_LIMIT_FORGOT_PER_NETWORK: '3/1h',
      SVC_IDP_CLIENT_ID: 'latchkey',
      SVC_IDP_CLIENT_SECRET: 'the secret of the client',
      SVC_IDP_TOKEN_URL: 'http://127.0.0.1:9/token',
      SVC_IDP_ISSUER: 'http://127.0.0.1:9',
    });
  const [ahead, right, behind] = await Promise.all([start(HOURS_OFF), start(0), start(-HOURS_OFF)]);
  replicas = { ahead, right, behind };
});
beforeEach(() => database.rows('TRUNCATE rate_limits'));
afterAll(async () => {
  await Promise.all(Object.values(replicas).map((replica) => replica.kill()));
  await mailapi.close();
  await database.close();
});

const PAIRS = [
  ['ahead', 'right'],
  ['behind', 'right'],
  ['right', 'ahead'],
  ['right', 'behind'],
] as const;

const me = ({ url }: ServiceProcess, cookie: string) => fetch(`${url}/users/me`, { headers: { cookie } });

describe.each(PAIRS)(
  `between a replica whose clock is %s and another replica whose clock is %s`,
  (here, there) => {
    it('a session lives as long as it should', async () => {
      const [person] = await crowd(database, 1);
      const credentials = { email: person?.email, password: PASSWORD };
      const answer = await replicas[here].post('/auth/login', credentials);
      const cookie = cookiesOf(answer);
      const { session } = (await answer.json()) as { session: { id: string } };

      expect((await me(replicas[there], cookie)).status).toBe(200);
      await database.rows('UPDATE sessions SET expires_at = now() WHERE id = $1', [session.id]);
      expect((await me(replicas[here], cookie)).status).toBe(401);
      expect((await me(replicas[there], cookie)).status).toBe(401);
    });

    it('a link of a signup works as long as it is valid', async () => {
      const [early, late] = [freshAddress(), freshAddress()];
      for (const email of [early, late])
        await replicas[here].post('/auth/signup', { email, password: PASSWORD });
      const good = await mailapi.tokenMailedTo(early);
      const expired = await mailapi.tokenMailedTo(late);
      await database.rows('UPDATE signups SET expires_at = now() WHERE email = $1', [late]);
      const verify = (token: string) =>
        replicas[there].post('/auth/verify-email', { token, password: PASSWORD });

      expect((await verify(good)).status).toBe(200);
      expect((await verify(expired)).status).toBe(400);
    });

    it('a limit counts together, and does not begin anew too soon', async () => {
      const forgot = async (replica: ServiceProcess) =>
        (await replica.post('/password/forgot', { email: freshAddress() })).status;

      const statuses: number[] = [];
      for (const replica of [here, there, here, there, here]) statuses.push(await forgot(replicas[replica]));

      expect(statuses).toEqual([202, 202, 202, 429, 429]);
    });

    it('a login through the provider begins at one and ends at the other', async () => {
      const begun = await fetch(`${replicas[here].url}/auth/oauth/idp/authorize-url`);
      const { authorization_url } = (await begun.json()) as { authorization_url: string };
      const state = new URL(authorization_url).searchParams.get('state');
      const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const callback = `/auth/oauth/idp/callback?code=none&state=${state}`;

      const ended = await fetch(replicas[there].url + callback, { headers: { cookie }, redirect: 'manual' });

      // The login has reached the call to the provider, and there is none in this test.
      expect(ended.headers.get('location')).toMatch(/error=provider_error$/);
    });
  },
);
