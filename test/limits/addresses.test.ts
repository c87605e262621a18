import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, PASSWORD, signedUp, verified } from '../support/accounts.js';
import type { Answer, Browser } from '../support/browser.js';
import type { TestApp } from '../support/test-app.js';
import { TwoReplicas } from './two-replicas.js';

let replicas: TwoReplicas;
let app: TestApp;
let caller: Browser;
beforeAll(async () => {
  const many = '1000/1h';
  replicas = await TwoReplicas.start({
    SVC_LIMIT_SIGNUP_PER_NETWORK: many,
    SVC_LIMIT_RESEND_PER_NETWORK: many,
    SVC_LIMIT_FORGOT_PER_NETWORK: many,
    SVC_LIMIT_PASSWORD_PER_USER: many,
  });
  app = replicas.app;
  caller = await loggedIn(app);
});
afterAll(() => replicas.close());
beforeEach(() => replicas.forget());

/** What has a mail sent to an address that the client names. */
const WAYS: Record<string, (email: string, service?: TestApp) => Promise<Answer>> = {
  'POST /auth/signup': (email, service = app) =>
    service.browser().post('/auth/signup', { email, password: PASSWORD }),
  'POST /auth/signup-org': (email, service = app) =>
    service.browser().post('/auth/signup-org', { email, password: PASSWORD, org_name: 'Some' }),
  'POST /auth/verify-email/resend': (email, service = app) =>
    service.browser().post('/auth/verify-email/resend', { email }),
  'POST /password/forgot': (email, service = app) => service.browser().post('/password/forgot', { email }),
  'POST /users/me/email': (email, service = app) => {
    const browser = service.browser();
    for (const cookie of caller.jar) browser.jar.set(...cookie);
    return browser.post('/users/me/email', { new_email: email, current_password: PASSWORD });
  },
};

/** An address whose owner has confirmed it, one whose owner has not, and one of nobody. */
const addresses = async () => [await verified(app), await signedUp(app), freshAddress()];

/** What an answer shows, but for what differs from request to request. */
function shown({ status, headers, body }: Answer, email: string): string {
  const { 'x-request-id': _, date: __, 'retry-after': ___, ratelimit: ____, ...rest } = headers;
  return JSON.stringify({ status, headers: rest, body: { ...body, request_id: '' } }).replaceAll(email, 'it');
}

describe.each(Object.entries(WAYS))('%s', (_, send) => {
  it('mails an address once a minute and five times an hour, and answers alike whosever it is', async () => {
    const answered = [];
    for (const email of await addresses()) {
      await replicas.forget();
      const answers: Answer[] = [];

      for (let minute = 0; minute < 7; minute++) {
        answers.push(...(await replicas.inParallel(4, (service) => send(email, service))));
        await replicas.wait(1);
      }

      expect(answers.filter(({ status }) => status === 202)).toHaveLength(5);
      expect(answers.filter(({ body }) => body?.code === 'TooManyRequests')).toHaveLength(23);
      await replicas.wait(60);
      expect((await send(email)).status).toBe(202);
      answered.push(answers.map((answer) => shown(answer, email)).sort());
    }

    const [known, ...others] = answered;
    for (const other of others) expect(other).toEqual(known);
  });

  it('counts an address in whatever spelling', async () => {
    const email = freshAddress();
    expect((await send(email)).status).toBe(202);
    expect((await send(email.toUpperCase())).body.code).toBe('TooManyRequests');
  });
});

describe('the mails to one address', () => {
  it('are counted for each way by itself', async () => {
    const email = freshAddress();
    const { 'POST /auth/signup-org': _, ...ways } = WAYS;

    for (const send of Object.values(ways)) expect((await send(email)).status).toBe(202);
  });

  it('are not counted when there will be none', async () => {
    const email = freshAddress();
    const weak = await app.browser().post('/auth/signup', { email, password: 'password' });
    expect(weak.body.code).toBe('WeakPassword');

    expect((await WAYS['POST /auth/signup']?.(email))?.status).toBe(202);
  });

  it('are refused with the time to wait, first of the minute and then of the hour', async () => {
    const email = freshAddress();
    const forgot = () => app.browser().post('/password/forgot', { email });
    await forgot();
    expect((await forgot()).headers['ratelimit-policy']).toBe('"mailPerAddress-60";q=1;w=60');

    for (let mails = 1; mails < 5; mails++) {
      await replicas.wait(1);
      await forgot();
    }
    await replicas.wait(1);

    const { headers } = await forgot();
    expect(headers['ratelimit-policy']).toBe('"mailPerAddress-3600";q=5;w=3600');
    expect(Math.ceil(Number(headers['retry-after']) / 60)).toBe(55);
  });
});
