import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { MADE_ELSEWHERE, OF_FIREBASE } from '../support/hashes.js';
import { foundOrg, invite } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

/** One password as two keyboards send it. */
const COMPOSED = 'passé phrase 12'.normalize('NFC');
const DECOMPOSED = COMPOSED.normalize('NFD');
const OTHER = { [COMPOSED]: DECOMPOSED, [DECOMPOSED]: COMPOSED };
const FORMS = [COMPOSED, DECOMPOSED];

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const login = (email: string, password: string) => app.browser().post('/auth/login', { email, password });
const stored = (email: string): Promise<string> =>
  app.database.value('SELECT password_hash FROM users WHERE email = $1', [email]);

/** An account whose row was written by another system, or by an earlier version. */
async function accountWith(passwordHash: string): Promise<string> {
  const email = await verified(app);
  await app.database.rows('UPDATE users SET password_hash = $2 WHERE email = $1', [email, passwordHash]);
  return email;
}

describe('a password that two keyboards write in different characters', () => {
  it.each(FORMS)('is the same at signup, login, update, step-up and deletion: %j', async (typed) => {
    const other = OTHER[typed] ?? '';
    const email = freshAddress();
    await app.browser().post('/auth/signup', { email, password: typed });
    expect((await login(email, other)).body.code).toBe('EmailNotVerified');
    const token = await app.mailbox.token(email);
    expect((await app.browser().post('/auth/verify-email', { token, password: other })).status).toBe(200);

    const browser = await loggedIn(app, email, other);
    const update = { current_password: other, new_password: `${typed} more` };
    expect((await browser.post('/auth/step-up', { password: other })).status).toBe(200);
    expect((await browser.post('/password/update', update)).status).toBe(204);
    expect((await login(email, `${other} more`)).status).toBe(200);
    const body = { current_password: `${other} more` };
    expect((await browser.send('DELETE', '/users/me', body)).status).toBe(204);
  });

  it.each(FORMS)('is the same after an invitation: %j', async (typed) => {
    const [{ admin, id }, email] = [await foundOrg(app), freshAddress()];
    const token = await invite(app, admin, id, email, 'member');
    const accepted = await app.browser().post('/invitations/accept', { token, password: typed });
    expect(accepted.status).toBe(201);

    expect((await login(email, OTHER[typed] ?? '')).status).toBe(200);
  });

  it.each(FORMS)('is the same where a signup is completed in another browser with it: %j', async (typed) => {
    const email = freshAddress();
    await app.browser().post('/auth/signup', { email, password: PASSWORD });
    const body = { token: await app.mailbox.token(email), new_password: typed };
    expect((await app.browser().post('/auth/verify-email', body)).status).toBe(200);

    expect((await login(email, OTHER[typed] ?? '')).status).toBe(200);
  });

  it.each(FORMS)('is the same after a reset: %j', async (typed) => {
    const email = await verified(app);
    await app.browser().post('/password/forgot', { email });
    const reset = { token: await app.mailbox.token(email), new_password: typed };
    expect((await app.browser().post('/password/reset', reset)).status).toBe(204);

    expect((await login(email, OTHER[typed] ?? '')).status).toBe(200);
  });

  it('is good as its owner typed it where an earlier version hashed it, and in both forms after the next login', async () => {
    const inner = createHmac('sha256', 'latchkey password v1').update(DECOMPOSED).digest('base64');
    const email = await accountWith(`hmac-sha256:${await bcrypt.hash(inner, 4)}`);

    expect((await login(email, COMPOSED)).status).toBe(401);
    expect((await login(email, DECOMPOSED)).status).toBe(200);
    expect((await login(email, COMPOSED)).status).toBe(200);
  });

  it('is hashed again at a login only where its normal form is not yet what is stored', async () => {
    const email = await verified(app);
    await app.browser().post('/password/forgot', { email });
    const reset = { token: await app.mailbox.token(email), new_password: COMPOSED };
    expect((await app.browser().post('/password/reset', reset)).status).toBe(204);
    const hash = await stored(email);

    expect((await login(email, DECOMPOSED)).status).toBe(200);
    expect(await stored(email)).toBe(hash);
  });

  it('is measured and judged in the form in which it is compared', async () => {
    const reasons = async (password: string) => {
      const { body } = await app.browser().post('/auth/signup', { email: freshAddress(), password });
      return [body.code, body.errors?.[0].messages];
    };

    expect(await reasons('éúóíá'.normalize('NFD'))).toEqual([
      'WeakPassword',
      ['must have at least 8 characters'],
    ]);
    expect(await reasons('\ufdfa')).toEqual(['WeakPassword', ['must have at least 8 characters']]);
    expect(await reasons('ｐａｓｓｗｏｒｄ')).toEqual([
      'WeakPassword',
      ['is one of the passwords most often used'],
    ]);
    expect(await reasons('🐎🔋📎🥇 staple 🧷')).toEqual([undefined, undefined]);
  });
});

describe('a hash that another system made', () => {
  it.each(['$2a$', '$2b$', '$2x$', '$2y$'])(
    'is compared as bcrypt is, and renewed at the login, if it begins with %s',
    async (name) => {
      const email = await accountWith((await bcrypt.hash('imported long ago', 5)).replace('$2b$', name));

      expect((await login(email, 'another one')).status).toBe(401);
      expect((await login(email, 'imported long ago')).status).toBe(200);
      expect(await stored(email)).toMatch(/^hmac-sha256:\$2b\$04\$/);
      expect((await login(email, 'imported long ago')).status).toBe(200);
    },
  );

  it.each(Object.entries(MADE_ELSEWHERE))(
    'is compared as %s does, and renewed at the login',
    async (_, hash) => {
      const email = await accountWith(hash);

      expect((await login(email, 'imported long agO')).status).toBe(401);
      expect(await stored(email)).toBe(hash);
      expect((await login(email, 'imported long ago')).status).toBe(200);
      expect(await stored(email)).toMatch(/^hmac-sha256:\$2b\$04\$/);
      expect((await login(email, 'imported long ago')).status).toBe(200);
    },
  );

  it('is compared as Firebase does, by the vector that it published', async () => {
    const email = await accountWith(OF_FIREBASE);

    expect((await login(email, 'user2password')).status).toBe(401);
    expect((await login(email, 'user1password')).status).toBe(200);
    expect(await stored(email)).toMatch(/^hmac-sha256:/);
  });

  it('is one of the password in NFKC where Better Auth made it', async () => {
    const email = await accountWith(
      '8664312c37953dc7a4129df3dd310ada:99c30fff853f63658ebdf431aff8ab6fee04e612bd861cd348b76566844040d4ebb5d0d65d6b7082bedd8ef7ad340d179fb8a415013832edd91e83d35d52a892',
    );

    expect((await login(email, 'imported ﬁle ago')).status).toBe(200);
    expect((await login(email, 'imported file ago')).status).toBe(200);
  });

  it.each([
    '',
    'imported long ago',
    // Beyond what one login may cost.
    MADE_ELSEWHERE.Django.replace('260000', '2000001'),
    MADE_ELSEWHERE.passlib.replace('ln=14', 'ln=19'),
    MADE_ELSEWHERE.passlib.replace('p=1', 'p=5'),
    OF_FIREBASE.replace('n=14', 'n=40'),
    MADE_ELSEWHERE['argon2-cffi'].replace('m=102400', 'm=262145'),
    MADE_ELSEWHERE['argon2-cffi'].replace('t=2', 't=17'),
    MADE_ELSEWHERE['argon2-cffi'].replace('p=8', 'p=17'),
    '$argon2d$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJTmaaJObG',
    '$2y$05$tooshort',
    'hmac-sha256:',
    ...['00', '03', '17', '31', '32', '99'].map((cost) => `$2y$${cost}$${'a'.repeat(53)}`),
    `hmac-sha256:$2b$03$${'a'.repeat(53)}`,
    `hmac-sha512:$2b$04$${'a'.repeat(53)}`,
  ])('is wrong for any password, and costs what any wrong password costs, if it is %j', async (hash) => {
    const email = await accountWith(hash);
    const compare = jest.spyOn(bcrypt, 'compare');

    const answer = await login(email, 'imported long ago');
    const compared = compare.mock.calls.map(([, against]) => against);
    compare.mockRestore();

    expect(answer).toMatchObject({ status: 401, body: { code: 'InvalidCredentials' } });
    expect(compared).toEqual([expect.stringMatching(/^\$2b\$04\$/)]);
    expect(await stored(email)).toBe(hash);
  });
});
