import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findFreePort } from '../../tools/embedded-postgres/free-port.js';
import { loggedIn } from '../support/accounts.js';
import { checkOut } from '../support/billing.js';
import { StripeTrial } from '../support/stripe/trial.js';
import { TestApp } from '../support/test-app.js';

let folder: string;
let port: number;
let trial: StripeTrial;
let app: TestApp;
const start = () =>
  StripeTrial.start({ port, service: app.environment.baseApiUrl, file: join(folder, 'stripe.json') });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-stripe-'));
  [port] = [await findFreePort('127.0.0.1')];
  const servicePort = await findFreePort('127.0.0.1');
  const settings = {
    SVC_BASE_API_URL: `http://127.0.0.1:${servicePort}`,
    SVC_STRIPE_SECRET_KEY: 'sk_test_51LatchkeyTests',
    SVC_STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests',
    SVC_STRIPE_API_BASE: `http://127.0.0.1:${port}`,
    SVC_STRIPE_PRICE_IDS: 'price_monthly,price_once',
  };
  app = await TestApp.start(settings);
  await app.nest.listen(servicePort, '127.0.0.1');
  trial = await start();
  expect(settings).toMatchObject(trial.settings);
});
afterAll(async () => {
  await app.close();
  await trial.stop();
  await rm(folder, { recursive: true });
});

const post = (url: string, fields: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
const statusOf = async (browser: Awaited<ReturnType<typeof loggedIn>>) =>
  (await browser.get('/subscription')).body.subscription?.status;

describe('npm run stripe', () => {
  it('lets a person pay at a page, and tells the service before it leads back', async () => {
    const ada = await loggedIn(app);
    const { url } = (await checkOut(ada, 'price_monthly')).body;
    expect(await (await fetch(url)).text()).toContain('price_monthly × 1');

    const paid = await post(url);

    expect([paid.status, paid.headers.get('location')]).toEqual([
      303,
      'http://localhost:5173/billing?checkout=success',
    ]);
    expect(await statusOf(ada)).toBe('active');
    expect(await (await fetch(url)).text()).toContain('This checkout is complete');
    expect((await post(url)).status).toBe(400);
  });

  it('lets them fail to pay, settle and cancel in the portal, also after a restart', async () => {
    const ada = await loggedIn(app);
    await post((await checkOut(ada, 'price_monthly')).body.url);
    await trial.stop();
    trial = await start();
    const { url } = (await ada.post('/subscription/portal')).body;
    const page = await (await fetch(url)).text();
    const [, subscription = ''] = /name="subscription" value="(\w+)"/.exec(page) ?? [];

    const seen = [];
    for (const act of ['fail', 'settle', 'end']) {
      await post(url, { subscription, act });
      seen.push(await statusOf(ada));
    }

    expect(seen).toEqual(['past_due', 'active', 'canceled']);
  });

  it('answers for what it does not know with a page that says so', async () => {
    const { status, headers } = await fetch(`${trial.stripe.base}/c/pay/cs_test_none`);

    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect((await fetch(`${trial.stripe.base}/elsewhere`)).status).toBe(401);
  });
});
