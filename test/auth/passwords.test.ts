import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, verified } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

describe('a password', () => {
  const LONG = 'x1'.repeat(40);

  it.each([
    ['is significant beyond the 72 bytes that bcrypt reads', `${LONG}a`, `${LONG}b`],
    [
      'is significant in its 256th character',
      `${LONG.repeat(3)}${'y'.repeat(15)}a`,
      `${LONG.repeat(3)}${'y'.repeat(15)}b`,
    ],
    ['is significant after a NUL', 'before\0after one', 'before\0after two'],
    ['is significant in its emoji', 'pass word \u{1F600}', 'pass word \u{1F601}'],
    ['is significant in its spaces', ' pass phrase ', 'pass phrase'],
    ['is significant in its case', 'Pass phrase', 'pass phrase'],
  ])('%s', async (_, password, other) => {
    const email = await verified(app, { password });
    const login = (attempt: string) => app.browser().post('/auth/login', { email, password: attempt });

    expect((await login(password)).status).toBe(200);
    expect((await login(other)).status).toBe(401);
  });

  it.each([
    ['short', 'abc d3f', 'must have at least 8 characters'],
    ['among the most used', 'Password', 'is one of the passwords most often used'],
    ['among the most used, with a digit and a sign', 'Password1!', 'is one of the passwords most often used'],
    [
      'among the most used, with a whole row of digits',
      'password12345678',
      'is one of the passwords most often used',
    ],
    ['among the most used, with a year and a sign', 'Summer2026!', 'is one of the passwords most often used'],
    ['a repetition', 'zqzqzqzqzq', 'only repeats or counts'],
    ['a count', 'klmnopqrstu', 'only repeats or counts'],
  ])('is refused when it is %s', async (_, password, reason) => {
    const email = freshAddress();

    const answer = await app.browser().post('/auth/signup', { email, password });

    expect(answer).toMatchObject({ status: 400, body: { code: 'WeakPassword' } });
    expect(answer.body.errors).toMatchObject([
      { field: 'password', messages: expect.arrayContaining([reason]) },
    ]);
    expect(await app.database.rows('SELECT 1 FROM users WHERE email = $1', [email])).toEqual([]);
  });

  it.each([
    ['the address', 'countess.lovelace@example.com', null, 'countess.lovelace@example.com'],
    ['the local part and a year', 'countess@example.com', null, 'Countess1815'],
    ['the name', 'c@example.com', 'Augusta King', 'king-augusta'],
  ])('is refused when it is made of %s', async (_, email, name, password) => {
    const answer = await app.browser().post('/auth/signup', { email, name, password });

    expect(answer.body.code).toBe('WeakPassword');
    expect(answer.body.errors[0].messages).toContain('is made of your address or name');
  });

  it('may contain the name among other words', async () => {
    const signup = { email: freshAddress(), name: 'Augusta', password: 'augusta rows a green boat' };
    expect((await app.browser().post('/auth/signup', signup)).status).toBe(202);
  });
});
