import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD, signedUp } from '../support/accounts.js';
import { callCommand } from '../support/command-line.js';
import { callbackAs, failure, startWithProvider } from '../support/identity-provider.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const OLD = 'the secret that a stranger may have seen';
const NEW = 'the secret that takes the place of it';

let before: TestApp;
let provider: Awaited<ReturnType<typeof startWithProvider>>['provider'];
let stop: () => Promise<void>;
beforeAll(async () => {
  const variables = { SVC_JWT_SECRET_KEY: OLD, SVC_CRON_SECRET: OLD, SVC_METRICS_TOKEN: OLD };
  ({ app: before, provider, stop } = await startWithProvider(variables));
});
afterAll(() => stop());

/** The service on the same database, started again with other secrets. */
async function restarted<T>(secrets: string, work: (app: TestApp) => Promise<T>): Promise<T> {
  const variables = { SVC_JWT_SECRET_KEY: secrets, SVC_CRON_SECRET: secrets, SVC_METRICS_TOKEN: secrets };
  const app = await TestApp.start({ ...provider.variables, ...variables }, { database: before.database });
  return work(app).finally(() => app.nest.close());
}

const allLinked = () =>
  before.database.value('SELECT count(*) = 0 FROM audit_events WHERE chain_hash IS NULL');

describe('a secret that is rotated', () => {
  it('lets a login finish that began before', async () => {
    const browser = before.browser();
    const person = { sub: freshAddress(), email: freshAddress(), email_verified: true };
    const callback = await callbackAs(provider, browser, person);
    const cookie = [...browser.jar].map((pair) => pair.join('=')).join('; ');
    const answerWith = (secrets: string) =>
      restarted(secrets, (app) => app.browser({ cookie }).get(callback));

    expect(await answerWith(NEW)).toMatchObject(failure('invalid_state'));
    expect(await answerWith(`${NEW}, ${OLD}`)).toMatchObject({
      status: 302,
      headers: { location: 'http://localhost:5173/' },
    });
  });

  it('signs with the new value', async () => {
    const person = { sub: freshAddress(), email: freshAddress(), email_verified: true };
    const [callback, cookie] = await restarted(`${NEW},${OLD}`, async (app) => {
      const browser = app.browser();
      const url = await callbackAs(provider, browser, person);
      return [url, [...browser.jar].map((pair) => pair.join('=')).join('; ')] as const;
    });

    const answer = await restarted(OLD, (app) => app.browser({ cookie }).get(callback));
    expect(answer).toMatchObject(failure('invalid_state'));
  });

  it('can still decrypt and send a mail of before', async () => {
    await before.database.rows(
      `INSERT INTO mail_outages VALUES ('stub', 1, now() + interval '1 hour', false)`,
    );
    const email = freshAddress();
    await before.browser().post('/auth/signup', { email, password: PASSWORD });
    await until(() =>
      before.database.value('SELECT count(*) > 0 FROM outbox_mails WHERE recipient = $1', [email]),
    );

    await restarted(`${NEW},${OLD}`, async (app) => {
      await before.database.rows('TRUNCATE mail_outages');
      await before.database.rows('NOTIFY outbox');
      expect(await app.mailbox.token(email)).not.toBe('');
    });
  });

  it('still recognises the password of a signup, until the old value is removed', async () => {
    const email = await signedUp(before);
    const loginWith = (secrets: string) =>
      restarted(secrets, (app) => app.browser().post('/auth/login', { email, password: PASSWORD }));

    expect((await loginWith(`${NEW},${OLD}`)).body.code).toBe('EmailNotVerified');
    expect((await loginWith(NEW)).body.code).toBe('InvalidCredentials');
  });

  it('keeps the audit log verifiable, until the old value is removed', async () => {
    await signedUp(before);
    await until(allLinked);
    await restarted(`${NEW},${OLD}`, (app) => signedUp(app));
    await until(allLinked);
    const verify = (secrets: string) =>
      callCommand(before, ['audit', 'verify'], { SVC_JWT_SECRET_KEY: secrets });

    expect(await verify(`${NEW},${OLD}`)).toMatchObject({
      code: 0,
      lines: ['Every event is as it was recorded.'],
    });
    expect(await verify(NEW)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^changed: event /),
    });
  });

  it.each(['/cron', '/metrics'])('opens %s with the old and with the new value', async (path) => {
    const statusWith = (app: TestApp, secret: string) =>
      app
        .browser({ authorization: `Bearer ${secret}` })
        .get(path)
        .then(({ status }) => status);

    await restarted(`${NEW},${OLD}`, async (app) => {
      expect(await statusWith(app, NEW)).toBe(200);
      expect(await statusWith(app, OLD)).toBe(200);
      expect(await statusWith(app, `${NEW},${OLD}`)).toBe(401);
    });
    await restarted(NEW, async (app) => {
      expect(await statusWith(app, NEW)).toBe(200);
      expect(await statusWith(app, OLD)).toBe(401);
    });
  });
});
