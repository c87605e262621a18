import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD, signedUp, verified } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { tokenIn } from '../support/mails.js';
import { later, type SignupFields, signupsOf, waitingSignup } from '../support/signups.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const waiting = (email?: string, signup?: SignupFields) => waitingSignup(app, email, signup);

const verify = (browser: Browser, token: string, body: object = {}) =>
  browser.post('/auth/verify-email', { token, ...body });
const resend = (browser: Browser, email: string) => browser.post('/auth/verify-email/resend', { email });
const mails = async (email: string) => (await app.mailbox.to(email)).length;
const NEEDS_PASSWORD = { status: 400, body: { code: 'PasswordRequired' }, cookies: [] };

describe('POST /auth/verify-email/resend', () => {
  it('answers alike for an address with a signup, with an account or with neither, and mails only the first', async () => {
    const [unverified, done, decoy, unknown] = [
      await signedUp(app),
      await verified(app),
      await verified(app),
      freshAddress(),
    ];
    await signedUp(app, { email: decoy });
    const addresses = [unverified, done, decoy, unknown];
    for (const email of addresses) await later(app, email, '61 seconds');
    const before = await Promise.all(addresses.map(mails));

    const answers = [];
    for (const email of addresses) answers.push(await resend(app.browser(), email));

    for (const answer of answers) {
      expect(answer.status).toBe(202);
      expect(answer.text).toBe(answers[0]?.text);
      expect(Object.keys(answer.headers)).toEqual(Object.keys(answers[0]?.headers ?? {}));
    }
    const after = await Promise.all(addresses.map(mails));
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 0, 0, 0]);
  });

  it('sends no second mail within a minute, and answers as if it had', async () => {
    const limited = await TestApp.start({ SVC_RATE_LIMITS: 'on' });
    const browser = limited.browser();
    const email = freshAddress();
    await browser.post('/auth/signup', { email, password: PASSWORD });

    for (const _ of ['first', 'second']) expect((await resend(browser, email)).status).toBe(202);

    expect(await limited.mailbox.to(email)).toHaveLength(1);
    await limited.close();
  });

  it('mails the signup of the browser that asks, else the newest', async () => {
    const email = freshAddress();
    const { browser: one } = await waiting(email, { name: 'One' });
    const { browser: other } = await waiting(email, { name: 'Other' });
    await later(app, email, '61 seconds');

    await resend(one, email);
    const ofOne = await app.mailbox.token(email);
    await resend(app.browser(), email);
    const ofNewest = await app.mailbox.token(email);

    expect(await verify(other, ofOne)).toMatchObject(NEEDS_PASSWORD);
    expect((await verify(other, ofNewest)).body.user.name).toBe('Other');
  });

  it('mails nothing for a signup that has ended', async () => {
    const email = await signedUp(app);
    await later(app, email, '24 hours 1 second');

    expect((await resend(app.browser(), email)).status).toBe(202);

    expect(await mails(email)).toBe(1);
  });

  it('leaves the links that were mailed earlier valid as long as the signup lives', async () => {
    const { browser, email, token } = await waiting();
    for (let mail = 0; mail < 3; mail++) {
      await later(app, email, '61 seconds');
      await resend(browser, email);
    }
    const tokens = (await app.mailbox.to(email)).map(({ text }) => tokenIn(text));

    expect(new Set(tokens).size).toBe(4);
    expect((await signupsOf(app, email))[0].token_hashes).toHaveLength(4);
    expect((await verify(browser, token)).status).toBe(200);
  });
});
