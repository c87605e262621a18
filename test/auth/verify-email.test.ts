import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD, signedUp, verified } from '../support/accounts.js';
import { inLockStep } from '../support/lock-step.js';
import { TestApp } from '../support/test-app.js';
import { tokenIn } from '../support/token-in.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const verify = (token: string) => app.browser().post('/auth/verify-email', { token });
const resend = (email: string) => app.browser().post('/auth/verify-email/resend', { email });
/** Holds an account until 8 requests wait for it: as many as the service has connections for. */
const holding = (email: string) => ({
  sql: 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE',
  parameters: [email],
  waiting: 8,
});
const isVerified = (email: string) =>
  app.database.value('SELECT email_verified_at IS NOT NULL FROM users WHERE email = $1', [email]);

describe('POST /auth/verify-email', () => {
  it('verifies the address the link was mailed to', async () => {
    const email = await signedUp(app);

    expect(await verify(await app.mailbox.token(email))).toMatchObject({
      status: 200,
      body: { email, email_verified: true },
    });
    expect(await isVerified(email)).toBe(true);
  });

  it('is left its token by a scanner that opens every link of the mail, here or at the SPA', async () => {
    const email = await signedUp(app);
    const { text } = await app.mailbox.last(email);
    const links = new Set(text.match(/https?:[^\s"<]+/g));

    expect(links.size).toBeGreaterThan(0);
    for (const link of links) {
      const { origin, pathname, search } = new URL(link);
      expect(origin).toBe('http://localhost:5173');
      for (const path of [pathname, `/auth${pathname}`])
        for (const method of ['GET', 'HEAD'] as const)
          expect((await app.browser().send(method, path + search)).status).toBeGreaterThanOrEqual(400);
    }
    expect((await verify(await app.mailbox.token(email))).status).toBe(200);
  });

  it('takes a token once, and its siblings not at all afterwards', async () => {
    const email = await signedUp(app);
    const first = await app.mailbox.token(email);
    await resend(email);
    const second = await app.mailbox.token(email);

    expect((await verify(second)).status).toBe(200);
    for (const token of [first, second]) {
      expect(await verify(token)).toMatchObject({ status: 400, body: { code: 'InvalidToken' } });
    }
  });

  it('lets exactly one of 32 uses at once succeed', async () => {
    const email = await signedUp(app);
    const token = await app.mailbox.token(email);

    const answers = await inLockStep(app.database, holding(email), () =>
      Array.from({ length: 32 }, () => verify(token)),
    );
    const statuses = answers.map(({ status }) => status);

    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400)).toHaveLength(31);
  });

  it('lets exactly one of 32 siblings used at once succeed', async () => {
    const email = await signedUp(app);
    for (let sibling = 1; sibling < 32; sibling++) await resend(email);
    const tokens = (await app.mailbox.to(email)).map(({ text }) => tokenIn(text));

    const answers = await inLockStep(app.database, holding(email), () => tokens.map(verify));
    const statuses = answers.map(({ status }) => status);

    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400)).toHaveLength(31);
  });

  it('refuses a token that is unknown, expired, for another purpose, or sent to another address', async () => {
    const [expired, moved, other] = [await signedUp(app), await signedUp(app), await verified(app)];
    await app.database.rows(
      `UPDATE one_time_tokens SET expires_at = now() - interval '1 second' WHERE sent_to = $1`,
      [expired],
    );
    await app.database.rows('UPDATE users SET email = $2 WHERE email = $1', [moved, freshAddress()]);
    await app.browser().post('/password/forgot', { email: other });

    for (const token of [
      'never-issued',
      await app.mailbox.token(expired),
      await app.mailbox.token(moved),
      await app.mailbox.token(other),
    ]) {
      expect(await verify(token)).toMatchObject({ status: 400, body: { code: 'InvalidToken' } });
    }
    expect(await isVerified(expired)).toBe(false);
  });

  it('stores nothing that would verify an address', async () => {
    const email = await signedUp(app);
    const token = await app.mailbox.token(email);

    const rows = await app.database.rows('SELECT t::text FROM one_time_tokens t WHERE sent_to = $1', [email]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
  });
});

describe('POST /auth/verify-email/resend', () => {
  it('answers alike whether the address waits, is verified, or has no account, and mails only the first', async () => {
    const [waiting, done, unknown] = [await signedUp(app), await verified(app), freshAddress()];
    const mails = async (email: string) => (await app.mailbox.to(email)).length;
    const before = [await mails(waiting), await mails(done), await mails(unknown)];

    const answers = [await resend(waiting), await resend(done), await resend(unknown)];

    for (const answer of answers) {
      expect(answer.status).toBe(202);
      expect(answer.text).toBe(answers[0]?.text);
      expect(Object.keys(answer.headers)).toEqual(Object.keys(answers[0]?.headers ?? {}));
    }
    const after = [await mails(waiting), await mails(done), await mails(unknown)];
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 0, 0]);
  });
});

describe('an unverified account', () => {
  it('cannot log in, and is told so only by the right password', async () => {
    const email = await signedUp(app);
    const login = (password: string) => app.browser().post('/auth/login', { email, password });

    expect(await login(PASSWORD)).toMatchObject({
      status: 403,
      body: { code: 'EmailNotVerified' },
      cookies: [],
    });
    expect(await login('not the password')).toMatchObject({
      status: 401,
      body: { code: 'InvalidCredentials' },
    });
    expect(
      await app.database.rows('SELECT 1 FROM sessions JOIN users u ON u.id = user_id WHERE email = $1', [
        email,
      ]),
    ).toEqual([]);
  });
});
