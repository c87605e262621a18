import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, PASSWORD, signedUp, verified } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const user = (email: string) => app.database.rows('SELECT * FROM users WHERE email = $1', [email]);

describe('POST /auth/signup', () => {
  it('makes an unverified member without an organization, and mails a link', async () => {
    const email = freshAddress();

    const answer = await app
      .browser()
      .post('/auth/signup', { email, password: PASSWORD, name: 'Ada Lovelace' });

    expect(answer).toMatchObject({ status: 202, body: { email } });
    expect(await user(email)).toMatchObject([
      { name: 'Ada Lovelace', role: 'member', org_id: null, email_verified_at: null },
    ]);
    expect((await app.mailbox.last(email)).text).toContain('http://localhost:5173/verify-email?token=');
  });

  it('answers for an address that has an account as for a new one, and changes nothing but the mailbox', async () => {
    const email = await signedUp(app);
    const [before] = await user(email);
    const signup = (address: string) =>
      app.browser().post('/auth/signup', { email: address, password: 'another pass phrase', name: 'Eve' });

    const fresh = freshAddress();
    const [taken, free] = [await signup(email), await signup(fresh)];

    expect({ ...taken, text: taken.text.replace(email, '…'), body: null, headers: null }).toEqual({
      ...free,
      text: free.text.replace(fresh, '…'),
      body: null,
      headers: null,
    });
    expect(Object.keys(taken.headers)).toEqual(Object.keys(free.headers));
    expect(await user(email)).toEqual([before]);
    expect(await app.mailbox.last(email)).toMatchObject({ subject: 'You already have an account' });
    expect(await app.mailbox.to(email)).toHaveLength(2);
  });

  it('makes one account of 32 signups at once', async () => {
    const email = freshAddress();
    const signup = () => app.browser().post('/auth/signup', { email, password: PASSWORD });

    const answers = await Promise.all(Array.from({ length: 32 }, signup));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(await user(email)).toHaveLength(1);
    const subjects = (await app.mailbox.to(email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject === 'Confirm your email address')).toHaveLength(1);
  });

  it('takes addresses that differ in case for one account', async () => {
    const email = await verified(app);
    await app.browser().post('/auth/signup', { email: email.toUpperCase(), password: PASSWORD });

    expect(await app.database.value('SELECT count(*)::int FROM users WHERE lower(email) = $1', [email])).toBe(
      1,
    );
    await expect(loggedIn(app, email.toUpperCase())).resolves.toBeDefined();
  });

  it('takes a letter beyond ASCII for another than the one it resembles', async () => {
    const addresses = ['admin@example.com', 'ADMİN@example.com'];
    for (const email of addresses) await app.browser().post('/auth/signup', { email, password: PASSWORD });

    const stored = await app.database.rows(`SELECT email FROM users WHERE email ~ '^adm' ORDER BY email`);
    expect(stored).toHaveLength(2);
  });
});

describe('POST /auth/signup-org', () => {
  it('makes the organization and its admin', async () => {
    const email = freshAddress();

    const answer = await app
      .browser()
      .post('/auth/signup-org', { org_name: 'Analytical', email, password: PASSWORD });

    expect(answer).toMatchObject({ status: 202, body: { email } });
    const [admin] = await user(email);
    expect(admin.role).toBe('org_admin');
    expect(await app.database.value('SELECT name FROM organizations WHERE id = $1', [admin.org_id])).toBe(
      'Analytical',
    );
  });

  it('makes no organization for an address that has an account', async () => {
    const email = await signedUp(app);

    const answer = await app
      .browser()
      .post('/auth/signup-org', { org_name: 'Squatters', email, password: PASSWORD });

    expect(answer.status).toBe(202);
    expect(await app.database.rows(`SELECT 1 FROM organizations WHERE name = 'Squatters'`)).toEqual([]);
    expect((await user(email))[0]).toMatchObject({ role: 'member', org_id: null });
  });
});
