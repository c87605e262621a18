import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { completedSignup, freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { wholeAnswer } from '../support/answers.js';
import { detailsOf } from '../support/audit.js';
import type { Browser } from '../support/browser.js';
import { Held } from '../support/lock-step.js';
import { codeIn, tokenIn } from '../support/mails.js';
import type { TestApp } from '../support/test-app.js';
import { TwoReplicas } from '../support/two-replicas.js';
import { digitsOf } from '../support/typing.js';

const NEW_PASSWORD = 'staple battery horse correct';
const INVALID = { status: 400, body: { code: 'InvalidCode' } };
const DEAD_LINK = { status: 400, body: { code: 'InvalidToken' } };

let replicas: TwoReplicas;
let app: TestApp;
beforeAll(async () => {
  replicas = await TwoReplicas.start();
  app = replicas.app;
});
afterAll(() => replicas.close());
beforeEach(() => replicas.forget());

/** A browser that has asked, the address it named, and what was mailed there. */
interface Asked {
  browser: Browser;
  email: string;
  code: string;
  token: string;
}

async function mailedTo(email: string, browser: Browser): Promise<Asked> {
  const { text } = await app.mailbox.last(email);
  return { browser, email, code: codeIn(text), token: tokenIn(text) };
}

async function asksToSignUp(email = freshAddress(), browser = app.browser()): Promise<Asked> {
  await browser.post('/auth/signup', { email, password: PASSWORD });
  return mailedTo(email, browser);
}

async function asksToReset(email?: string, browser = app.browser()): Promise<Asked> {
  const address = email ?? (await verified(app));
  await browser.post('/password/forgot', { email: address });
  return mailedTo(address, browser);
}

async function asksToChange(email = freshAddress()): Promise<Asked> {
  const browser = await loggedIn(app);
  await browser.post('/users/me/email', { new_email: email, current_password: PASSWORD });
  return mailedTo(email, browser);
}

const verify = (browser: Browser, secret: object) => browser.post('/auth/verify-email', secret);
const preview = (browser: Browser, secret: object) => browser.post('/password/reset/preview', secret);
const reset = (browser: Browser, secret: object) =>
  browser.post('/password/reset', { new_password: NEW_PASSWORD, ...secret });
const confirm = (browser: Browser, secret: object) => browser.post('/users/me/email/confirm', secret);

/** A code that differs from the right one in its last character. */
const wrong = (code: string) => code.slice(0, -1) + (code.endsWith('0') ? '1' : '0');

/** The browser with the cookies of another one, as a thief of them has it. */
function twinOf({ jar }: Browser, replica = app): Browser {
  const twin = replica.browser();
  for (const [name, value] of jar) twin.jar.set(name, value);
  return twin;
}

const rowOf = async ({ jar }: Browser) => {
  const [row] = await app.database.rows('SELECT * FROM mailed_codes WHERE browser_hash = sha256($1::bytea)', [
    jar.get('session_id_code'),
  ]);
  return row;
};

const codesExpire = (browser: Browser) =>
  app.database.rows('UPDATE mailed_codes SET expires_at = now() WHERE browser_hash = sha256($1::bytea)', [
    browser.jar.get('session_id_code'),
  ]);

const secondsLeft = async (browser: Browser) =>
  ((await rowOf(browser)).expires_at.getTime() - Date.now()) / 1000;

describe('the code in the mail of a signup', () => {
  it('makes the account in the browser that signed up, logs in, and uses up the link', async () => {
    const { browser, email, code, token } = await asksToSignUp();
    expect(await secondsLeft(browser)).toBeCloseTo(86_400, -2);

    expect(await verify(browser, { code })).toMatchObject({ status: 200, body: { email } });

    expect(await browser.get('/users/me')).toMatchObject({ status: 200, body: { user: { email } } });
    expect(await verify(app.browser(), { token })).toMatchObject(DEAD_LINK);
    expect(await verify(browser, { code })).toMatchObject(INVALID);
    const id = await app.database.value('SELECT id FROM users WHERE email = $1', [email]);
    expect(await detailsOf(app, id, 'email.verified')).toHaveLength(1);
  });

  it('is used up by the link', async () => {
    const { browser, code, token } = await asksToSignUp();
    expect((await verify(twinOf(browser), { token })).status).toBe(200);
    expect(await verify(browser, { code })).toMatchObject(INVALID);
  });

  it('stands on a line of its own, with a warning, and not in the subject', async () => {
    const { email, code } = await asksToSignUp();
    const { subject, text } = await app.mailbox.last(email);
    expect(text).toContain(
      `\n\n${code}\n\nOnly enter this code where you asked for it. Latchkey never asks you for it`,
    );
    expect(subject).not.toContain(code.slice(0, 4));
  });

  it.each([
    ['in lower case, without the hyphen', (code: string) => code.toLowerCase().replace('-', '')],
    ['with blanks around and within', (code: string) => ` ${code.replace('-', ' - ')}\n`],
    ['with look-alikes', (code: string) => code.replaceAll('0', 'o').replaceAll('1', 'I')],
    ['in Persian digits', digitsOf('۰')],
    ['in full-width digits', digitsOf('０')],
  ])('is read %s', async (_, type) => {
    const { browser, code } = await asksToSignUp();
    expect((await verify(browser, { code: type(code) })).status).toBe(200);
  });

  it('asks a browser that did not sign up, and had the mail sent again, for the password', async () => {
    const { email } = await asksToSignUp();
    await app.database.rows(`UPDATE signups SET mail_asked_at = now() - interval '61 seconds'`);
    const browser = app.browser();
    await browser.post('/auth/verify-email/resend', { email });
    const { code } = await mailedTo(email, browser);

    expect(await verify(browser, { code })).toMatchObject({ body: { code: 'PasswordRequired' } });
    expect((await verify(browser, { code, password: PASSWORD })).status).toBe(200);
  });

  it('stays good, its tries as well, while another signup or another request mails nothing', async () => {
    const { browser, email, code } = await asksToSignUp();
    for (let guess = 0; guess < 3; guess++) await verify(browser, { code: wrong(code) });
    await browser.post('/auth/signup', { email, password: PASSWORD });
    await browser.post('/auth/verify-email/resend', { email });

    expect(await app.mailbox.to(email)).toHaveLength(1);
    expect(await rowOf(browser)).toMatchObject({ tries: 3 });
    expect((await verify(browser, { code })).status).toBe(200);
  });

  it.each(['/auth/signup', '/auth/verify-email/resend'])(
    'tells no other browser whether an address has a signup that %s mails nothing for',
    async (path) => {
      const ask = async (email: string) => {
        const { browser, code } = await asksToSignUp();
        browser.jar.delete('session_id_signup');
        await browser.post(path, { email, ...(path === '/auth/signup' && { password: PASSWORD }) });
        return verify(browser, { code });
      };
      const { email } = await asksToSignUp();

      expect(await ask(email)).toMatchObject(INVALID);
      expect(await ask(freshAddress())).toMatchObject(INVALID);
    },
  );

  it('is not mailed to an address that has an account', async () => {
    const { browser, code } = await asksToSignUp(await verified(app));
    expect(code).toBe('');
    expect(await rowOf(browser)).toBeDefined();
  });
});

describe('the code in the mail for a new password', () => {
  it('names the account as often as it is asked, sets the password, ends every session, and uses up the link', async () => {
    const owner = await completedSignup(app);
    const { browser, email, code, token } = await asksToReset(owner.email);
    expect(await secondsLeft(browser)).toBeCloseTo(3600, -2);

    for (let times = 0; times < 7; times++)
      expect(await preview(browser, { code })).toMatchObject({ status: 200, body: { email } });
    expect(await reset(browser, { code, new_password: 'password' })).toMatchObject({
      body: { code: 'WeakPassword' },
    });
    expect((await reset(browser, { code })).status).toBe(204);

    expect((await owner.get('/users/me')).status).toBe(401);
    expect((await loggedIn(app, email, NEW_PASSWORD)).email).toBe(email);
    expect(await reset(browser, { token })).toMatchObject(DEAD_LINK);
    expect(await reset(browser, { code })).toMatchObject(INVALID);
  });

  it('is used up by the link', async () => {
    const { browser, code, token } = await asksToReset();
    expect((await reset(app.browser(), { token })).status).toBe(204);
    expect(await preview(browser, { code })).toMatchObject(INVALID);
  });

  it('is replaced by the next one of the same browser, and not by that of another', async () => {
    const first = await asksToReset();
    await replicas.wait(1);
    const second = await asksToReset(first.email, first.browser);
    expect(await preview(first.browser, { code: first.code })).toMatchObject(INVALID);
    await replicas.wait(1);
    await asksToReset(first.email);
    expect((await preview(first.browser, { code: second.code })).status).toBe(200);
  });

  it('stays good while a double click mails nothing', async () => {
    const { browser, email, code } = await asksToReset();
    expect((await browser.post('/password/forgot', { email })).cookies).toEqual([]);
    expect((await preview(browser, { code })).status).toBe(200);
  });

  it('does not become that of a signup of the same browser, and they do not replace each other', async () => {
    const signup = await asksToSignUp();
    const { browser, code } = await asksToReset(undefined, signup.browser);
    expect(await verify(browser, { code })).toMatchObject(INVALID);
    expect(await reset(browser, { code: signup.code })).toMatchObject(INVALID);
    expect((await reset(browser, { code })).status).toBe(204);
    expect((await verify(browser, { code: signup.code })).status).toBe(200);
  });
});

describe('the code in the mail to a new address', () => {
  it('moves the account, for an hour, and uses up the link', async () => {
    const { browser, email, code, token } = await asksToChange();
    expect(await secondsLeft(browser)).toBeCloseTo(3600, -2);

    expect(await confirm(browser, { code })).toMatchObject({ status: 200, body: { user: { email } } });

    expect(await confirm(browser, { token })).toMatchObject(DEAD_LINK);
    expect(await confirm(browser, { code })).toMatchObject(INVALID);
  });

  it('moves no other account that is logged in there', async () => {
    const { browser, code } = await asksToChange();
    const other = await loggedIn(app);
    other.jar.set('session_id_code', browser.jar.get('session_id_code') ?? '');
    expect(await confirm(other, { code })).toMatchObject({ status: 403, body: { code: 'WrongAccount' } });
  });

  it('is good for nothing without a session', async () => {
    const { browser, code } = await asksToChange();
    browser.jar.delete('session_id');
    expect((await confirm(browser, { code })).status).toBe(401);
  });

  it('is not mailed to an address that has an account, and the row is the same', async () => {
    const { browser, code } = await asksToChange(await verified(app));
    expect(code).toBe('');
    expect(await rowOf(browser)).toMatchObject({ purpose: 'change-email', tries: 0 });
  });
});

describe('a code that does not open anything', () => {
  it('is answered byte for byte alike, whatever the reason', async () => {
    const used = await asksToReset();
    await reset(used.browser, { code: used.code });
    const expired = await asksToReset();
    await codesExpire(expired.browser);
    const here = await asksToReset();
    const disabled = await asksToReset();
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [disabled.email]);
    const unknown = app.browser();
    await unknown.post('/password/forgot', { email: freshAddress() });
    const exhausted = await asksToReset();
    for (let guess = 0; guess < 5; guess++) await preview(exhausted.browser, { code: wrong(exhausted.code) });
    const planted = app.browser();
    planted.jar.set('session_id_code', 'guessable');
    const other = await asksToReset();

    const cases: [string, Browser, string][] = [
      ['wrong', here.browser, wrong(here.code)],
      ['used', used.browser, used.code],
      ['expired', expired.browser, expired.code],
      ['of another browser', here.browser, other.code],
      ['in a browser that never asked', app.browser(), here.code],
      ['in a browser with a cookie that was never minted', planted, here.code],
      ['for an address without an account', unknown, here.code],
      ['of an account that is disabled', disabled.browser, disabled.code],
      ['after five wrong ones', exhausted.browser, exhausted.code],
    ];
    const answers = await Promise.all(
      cases.map(async ([name, { jar }, code]) => {
        const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
        const headers = { 'content-type': 'application/json', ...(cookie && { cookie }) };
        const payload = JSON.stringify({ code });
        return [
          name,
          await wholeAnswer(app, '/password/reset/preview', { method: 'POST', headers, payload }),
        ];
      }),
    );
    for (const [name, answer] of answers) expect([name, answer]).toEqual([name, answers[0]?.[1]]);
    expect(answers[0]?.[1]).toMatchObject({ status: 400 });
  });

  it('takes one of five tries, after which the right one opens nothing, but the link does', async () => {
    const { browser, code, token } = await asksToReset();
    for (let guess = 0; guess < 5; guess++)
      expect(await preview(browser, { code: wrong(code) })).toMatchObject(INVALID);
    expect(await preview(browser, { code })).toMatchObject(INVALID);
    expect((await preview(browser, { token })).status).toBe(200);
  });

  it('takes one of five tries also among many at once at two replicas', async () => {
    const { browser, code } = await asksToReset();
    await replicas.inParallel(32, (replica) => preview(twinOf(browser, replica), { code: wrong(code) }));
    expect(await rowOf(browser)).toMatchObject({ tries: 5 });
  });

  it('counts against the limit of the network', async () => {
    const limited = await TwoReplicas.start({ SVC_LIMIT_RESET_PER_NETWORK: '2/1h' });
    try {
      const stranger = limited.app.browser();
      for (let guess = 0; guess < 2; guess++)
        expect(await preview(stranger, { code: 'AAAA-AAAA' })).toMatchObject(INVALID);
      expect((await preview(stranger, { code: 'AAAA-AAAA' })).status).toBe(429);
    } finally {
      await limited.close();
    }
  });

  it.each([
    ['neither', {}],
    ['both', { token: 'a'.repeat(43), code: 'AAAA-AAAA' }],
    ['nothing but nulls', { token: null, code: null }],
    ['seven characters', { code: 'AAAA-AAA' }],
    ['nine characters', { code: 'AAAA-AAAAA' }],
    ['a number', { code: 12345678 }],
    ['a list', { code: ['AAAA-AAAA'] }],
    ['other characters', { code: 'AAAA-AA%A' }],
  ])('is a fault of the body when it is %s', async (_, secret) => {
    for (const send of [verify, preview, reset])
      expect(await send(app.browser(), secret)).toMatchObject({ body: { code: 'ValidationFailed' } });
    expect(await confirm(await loggedIn(app), secret)).toMatchObject({ body: { code: 'ValidationFailed' } });
  });
});

describe('the right code posted many times at once at two replicas', () => {
  it('sets one password', async () => {
    const { browser, code } = await asksToReset();
    const answers = await replicas.inParallel(32, (replica) => reset(twinOf(browser, replica), { code }));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 204))
      expect(answer).toMatchObject(INVALID);
  });

  it('makes one account and one session', async () => {
    const { browser, email, code } = await asksToSignUp();
    const answers = await replicas.inParallel(32, (replica) => verify(twinOf(browser, replica), { code }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(
      await app.database.value(
        'SELECT count(*)::int FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = $1',
        [email],
      ),
    ).toBe(1);
  });

  it('moves an account once', async () => {
    const { browser, code } = await asksToChange();
    const answers = await replicas.inParallel(32, (replica) => confirm(twinOf(browser, replica), { code }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('a reader of the database', () => {
  it('finds neither the code nor the token, while the mail waits and after', async () => {
    const email = await verified(app);
    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE', [email]);
    const browser = app.browser();
    await browser.post('/password/forgot', { email });
    await held.untilWaiting(1);
    const [{ secrets }] = await app.database.rows('SELECT secrets FROM link_requests WHERE email = $1', [
      email,
    ]);
    await held.release();

    const { code, token } = await mailedTo(email, browser);
    const row = await rowOf(browser);
    for (const secret of [code, code.replace('-', ''), token, browser.jar.get('session_id_code') ?? '']) {
      expect(secret).not.toBe('');
      for (const stored of [secrets, ...Object.values(row)].filter(Buffer.isBuffer))
        expect(stored.includes(Buffer.from(secret))).toBe(false);
    }
  });

  it('cannot tell the right code from a wrong one, not even in the browser that asked', async () => {
    const { browser, code, token } = await asksToReset();
    const { salt, browser_hash, token_hash } = await rowOf(browser);
    const cookie = browser.jar.get('session_id_code') ?? '';
    const bare = code.replace('-', '');
    const sha256 = (...parts: (Buffer | string)[]) =>
      parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
    const guesses = [
      bare,
      `\0${bare}`,
      `${cookie}\0${bare}`,
      `${browser_hash}\0${bare}`,
      `${browser_hash.toString('hex')}\0${bare}`,
    ];
    const keys = [
      salt,
      salt.subarray(28),
      salt.toString('base64url'),
      salt.subarray(28).toString('base64url'),
    ];
    for (const guess of guesses)
      for (const made of [
        sha256(guess),
        ...keys.map((key) => sha256(key, guess)),
        ...keys.map((key) => sha256(createHmac('sha256', key).update(guess).digest('base64url'))),
      ])
        expect(made).not.toEqual(token_hash);
    expect(sha256(token)).toEqual(token_hash);
  });
});
