import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, loggedInAs, PASSWORD, verified } from '../support/accounts.js';
import { detailsOf } from '../support/audit.js';
import type { Browser } from '../support/browser.js';
import { foundOrg, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

/** The pseudo-languages stand for others: what is read is only which language a mail is in. */
const SERVED = 'en,en-XA,ar-XB';

const XA = { 'accept-language': 'en-XA' };
const XB = { 'accept-language': 'ar-XB, en;q=0.5' };

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await TestApp.start({
    SVC_LOCALES: SERVED,
    SVC_SUPPORT_EMAIL: 'help@example.com',
    SVC_EMAIL_CODE_LOGIN: 'on',
  });
  org = await foundOrg(app);
});
afterAll(() => app.close());

/** The kinds and languages of the mails to an address, oldest first. */
async function mailsTo(email: string): Promise<string[]> {
  await app.mailbox.to(email);
  const mails = await app.database.rows(
    'SELECT kind, language FROM outbox_mails WHERE recipient = $1 ORDER BY id',
    [email],
  );
  return mails.map(({ kind, language }) => `${kind} ${language}`);
}

const setLocale = (email: string, locale: string | null, timeZone: string | null = null) =>
  app.database.rows('UPDATE users SET locale = $2, time_zone = $3 WHERE email = $1', [
    email,
    locale,
    timeZone,
  ]);

const localeOf = (email: string) => app.database.value('SELECT locale FROM users WHERE email = $1', [email]);

/** An account of a language, in which somebody has logged in. */
async function inLanguage(locale: string | null): Promise<Browser & { email: string }> {
  const email = await verified(app);
  await setLocale(email, locale);
  return loggedIn(app, email);
}

const signUp = (email: string, headers: Record<string, string>, more: object = {}) =>
  app.browser().post('/auth/signup', { email, password: PASSWORD, ...more }, headers);

describe('a signup', () => {
  it('is answered by a mail in the language of its request, which the account keeps', async () => {
    const [email, browser] = [freshAddress(), app.browser()];
    await browser.post('/auth/signup', { email, password: PASSWORD }, XB);
    const verification = await app.mailbox.last(email);
    const { body } = await browser.post('/auth/verify-email', { token: await app.mailbox.token(email) });

    expect(await mailsTo(email)).toEqual(['verification ar-XB']);
    expect(verification.subject).toMatch(/^\[/);
    expect(body.user.locale).toBe('ar-XB');
  });

  it('keeps nothing of the language of a stranger once its owner chooses a password', async () => {
    const email = freshAddress();
    await signUp(email, XB, { time_zone: 'Asia/Tokyo' });
    const body = { token: await app.mailbox.token(email), new_password: `${PASSWORD} of the owner` };
    const { body: answer } = await app.browser().post('/auth/verify-email', body, XA);

    expect(answer.user).toMatchObject({ locale: 'en-XA', time_zone: null });
  });

  it('tells the owner of an account in the language of the account', async () => {
    const email = await verified(app);
    await setLocale(email, 'en-XA');
    await signUp(email, XB);

    expect(await mailsTo(email)).toEqual(['already-registered en-XA']);
  });

  it('tells the owner of an account without a language in that of the request', async () => {
    const email = await verified(app);
    await signUp(email, XB);

    expect(await mailsTo(email)).toEqual(['already-registered ar-XB']);
  });

  it.each([
    ['Asia/Tokyo', 'GMT+9'],
    ['Africa/Abidjan', 'UTC'],
    ['Etc/UTC', 'UTC'],
  ])('keeps the time zone %s, by which mails state instants in %s', async (time_zone, stated) => {
    const [email, browser] = [freshAddress(), app.browser()];
    await browser.post('/auth/signup', { email, password: PASSWORD, time_zone });
    await browser.post('/auth/verify-email', { token: await app.mailbox.token(email) });
    await app.browser().post('/password/forgot', { email });

    const { text } = await app.mailbox.last(email);
    expect(/ at \d\d:\d\d ([A-Z]{3}(?:[+-]\d+)?)/.exec(text)?.[1]).toBe(stated);
  });

  it.each([['Mars/Olympus'], ['+02:00']])('refuses the time zone %s', async (timeZone) => {
    const { status, body } = await signUp(freshAddress(), {}, { time_zone: timeZone });

    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ field: 'time_zone', reasons: [{ code: 'not_a_time_zone' }] }]);
  });

  it('mails in the default language where the request asks for none that is spoken', async () => {
    const email = freshAddress();
    await signUp(email, { 'accept-language': `nl, ${'x'.repeat(8000)}` });

    expect(await mailsTo(email)).toEqual(['verification en']);
  });
});

describe('a link to set a new password', () => {
  it('is mailed in the language of the account, else in that of the request', async () => {
    const [inXa, inNone] = [await verified(app), await verified(app)];
    await setLocale(inXa, 'en-XA');
    for (const email of [inXa, inNone]) await app.browser().post('/password/forgot', { email }, XB);

    expect(await mailsTo(inXa)).toEqual(['password-reset en-XA']);
    expect(await mailsTo(inNone)).toEqual(['password-reset ar-XB']);
  });

  it('names the language, which the page opens in', async () => {
    const email = await verified(app);
    await setLocale(email, 'en-XA');
    await app.browser().post('/password/forgot', { email });

    expect((await app.mailbox.last(email)).text).toMatch(/reset-password\?token=[\w-]+&ui_locales=en-XA\n/);
  });

  it('is mailed in the next language where that of the account is no longer spoken', async () => {
    const email = await verified(app);
    await setLocale(email, 'nl');
    await app.browser().post('/password/forgot', { email }, XB);

    expect(await mailsTo(email)).toEqual(['password-reset en']);
  });
});

describe('a warning', () => {
  it('is never in the language of the browser that causes it', async () => {
    const owner = await inLanguage('en-XA');
    await app.browser().post('/auth/login', { email: owner.email, password: PASSWORD }, XB);

    expect(await mailsTo(owner.email)).toEqual(['new-login en-XA']);
    expect(await localeOf(owner.email)).toBe('en-XA');
  });

  it('is in the language of the organization where the account has none', async () => {
    const { admin, member } = await foundOrg(app);
    expect((await admin.patch(`/orgs/${await orgOf(admin)}`, { locale: 'ar-xb' })).body.org.locale).toBe(
      'ar-XB',
    );
    await app.browser().post('/auth/login', { email: member.email, password: PASSWORD }, XA);

    expect(await mailsTo(member.email)).toEqual(['new-login ar-XB']);
  });

  it('of an organization that the account has joined is not yet in the language of that one', async () => {
    const [{ admin, id }, invited] = [await foundOrg(app), await inLanguage(null)];
    await admin.patch(`/orgs/${id}`, { locale: 'ar-XB' });
    await admin.post(`/orgs/${id}/invitations`, { email: invited.email, role: 'member' });
    await invited.post('/invitations/accept', { token: await app.mailbox.token(invited.email) });

    expect(await mailsTo(invited.email)).toEqual(['invitation ar-XB', 'member-joined en']);
  });

  it('of a deleted account is in the language that it had', async () => {
    const owner = await inLanguage('ar-XB');
    await owner.send('DELETE', '/users/me', { current_password: PASSWORD });

    expect(await mailsTo(owner.email)).toEqual(['account-deleted ar-XB']);
  });

  it('about an address that is taken is in the language of its owner', async () => {
    const [asker, owner] = [await inLanguage('en-XA'), await inLanguage('ar-XB')];
    await asker.post('/users/me/email', { new_email: owner.email, current_password: PASSWORD });

    expect(await mailsTo(owner.email)).toEqual(['address-taken ar-XB']);
    expect(await mailsTo(asker.email)).toEqual(['email-change-asked en-XA']);
  });

  it('about a new address that is free is in the language of who asked', async () => {
    const [asker, email] = [await inLanguage('en-XA'), freshAddress()];
    await asker.post('/users/me/email', { new_email: email, current_password: PASSWORD });

    expect(await mailsTo(email)).toEqual(['email-change en-XA']);
  });
});

describe('an owner who secures the account', () => {
  it('reads what follows in the language from before an intruder chose others', async () => {
    const intruder = await inLanguage('en-XA');
    const { email } = intruder;
    await intruder.patch('/users/me', { locale: 'ar-XB' });
    const token = await app.mailbox.token(email);
    await intruder.patch('/users/me', { locale: 'en' });
    await intruder.patch('/users/me', { locale: 'ar-XB' });
    expect((await app.browser().post('/auth/secure-account', { token })).status).toBe(204);

    expect((await mailsTo(email)).slice(-2)).toEqual(['account-secured en-XA', 'password-reset en-XA']);
    expect(await localeOf(email)).toBe('en-XA');
  });

  it('reads it too where the first warning is older than 72 hours, and this is its link', async () => {
    const intruder = await inLanguage('en-XA');
    await intruder.patch('/users/me', { locale: 'ar-XB' });
    const token = await app.mailbox.token(intruder.email);
    await app.database.rows(
      `WITH mails AS (
         UPDATE outbox_mails SET created_at = created_at - interval '80 hours' WHERE recipient = $1
       )
       UPDATE one_time_tokens SET created_at = created_at - interval '80 hours' WHERE sent_to = $1`,
      [intruder.email],
    );
    await intruder.patch('/users/me', { locale: 'en' });
    await app.browser().post('/auth/secure-account', { token });

    expect(await localeOf(intruder.email)).toBe('en-XA');
  });

  it('reads it too where the intruder chose another one at an address that the account has left', async () => {
    const intruder = await inLanguage('en-XA');
    const [{ email }, second, third] = [intruder, freshAddress(), freshAddress()];
    await moveTo(second, intruder);
    const token = await app.mailbox.token(email);
    await intruder.patch('/users/me', { locale: 'ar-XB' });
    await moveTo(third, intruder);
    await app.browser().post('/auth/secure-account', { token });

    expect((await mailsTo(email)).slice(-2)).toEqual(['account-secured en-XA', 'password-reset en-XA']);
  });

  it('does not read that of another account, which had an address before', async () => {
    const [other, intruder] = [await inLanguage('ar-XB'), await inLanguage('en-XA')];
    await other.patch('/users/me', { locale: 'en' });
    await other.send('DELETE', '/users/me', { current_password: PASSWORD });
    await moveTo(other.email, intruder);
    const token = await app.mailbox.token(intruder.email);
    await app.browser().post('/auth/secure-account', { token });

    expect((await mailsTo(intruder.email)).at(-1)).toBe('password-reset en-XA');
  });

  it('does not read that of an organization, which an intruder founded in the account', async () => {
    const intruder = await inLanguage(null);
    const { body } = await intruder.post('/users/me/org', { name: 'Analytical' });
    const token = await app.mailbox.token(intruder.email);
    await intruder.patch(`/orgs/${body.org.id}`, { locale: 'ar-XB' });
    await app.browser().post('/auth/secure-account', { token });

    expect((await mailsTo(intruder.email)).at(-1)).toBe('password-reset en');
  });

  it('keeps the tag of a language that is still the same', async () => {
    const owner = await inLanguage('en-GB');
    await app.browser().post('/auth/login', { email: owner.email, password: PASSWORD });
    const token = await app.mailbox.token(owner.email);
    await app.browser().post('/auth/secure-account', { token });

    expect(await localeOf(owner.email)).toBe('en-GB');
  });
});

describe('a login from a browser without news', () => {
  it('gives an account its language', async () => {
    const browser = await inLanguage(null);
    await browser.post('/auth/login', { email: browser.email, password: PASSWORD }, XB);

    expect(await localeOf(browser.email)).toBe('ar-XB');
  });

  it('tells its owner of that in the former language, as an intruder may have logged in twice', async () => {
    const [{ email }, intruder] = [await inLanguage(null), app.browser()];
    for (let n = 0; n < 2; n++) await intruder.post('/auth/login', { email, password: PASSWORD }, XB);

    expect(await mailsTo(email)).toEqual(['new-login en', 'language-changed en']);
    expect((await app.mailbox.last(email)).text).toContain('/secure-account?token=');
  });

  it('tells nobody of a language that they are written to in anyway', async () => {
    const browser = await inLanguage(null);
    await browser.post(
      '/auth/login',
      { email: browser.email, password: PASSWORD },
      { 'accept-language': 'en-GB' },
    );

    expect(await localeOf(browser.email)).toBe('en-GB');
    expect(await mailsTo(browser.email)).toEqual([]);
  });

  it('leaves the language that an account has', async () => {
    const browser = await inLanguage('en-XA');
    await browser.post('/auth/login', { email: browser.email, password: PASSWORD }, XB);

    expect(await localeOf(browser.email)).toBe('en-XA');
  });

  it('is none where the account does not know the browser', async () => {
    const { email } = await inLanguage(null);
    await app.browser().post('/auth/login', { email, password: PASSWORD }, XB);

    expect(await localeOf(email)).toBeNull();
  });

  it('can be made twice at once', async () => {
    const browser = await inLanguage(null);
    const logIn = () => browser.post('/auth/login', { email: browser.email, password: PASSWORD }, XB);

    expect((await Promise.all([logIn(), logIn(), logIn()])).map(({ status }) => status)).toEqual([
      200, 200, 200,
    ]);
  });
});

describe('PATCH /users/me', () => {
  it('sets language and time zone, and tells of the language in the former one', async () => {
    const browser = await inLanguage('en-XA');
    const { status, body } = await browser.patch('/users/me', {
      locale: 'AR-xb',
      time_zone: 'Europe/Zurich',
    });

    expect([status, body.user]).toMatchObject([200, { locale: 'ar-XB', time_zone: 'Europe/Zurich' }]);
    expect((await browser.get('/users/me')).body.user).toMatchObject({
      locale: 'ar-XB',
      time_zone: 'Europe/Zurich',
    });
    expect(await mailsTo(browser.email)).toEqual(['language-changed en-XA']);
    expect((await app.mailbox.last(browser.email)).text).toContain('/secure-account?token=');
  });

  it('tells of a first choice too, and not of one that changes nothing', async () => {
    const browser = await inLanguage(null);
    await browser.patch('/users/me', { locale: 'en-GB' });
    await browser.patch('/users/me', { locale: 'ar-XB' });
    await browser.patch('/users/me', { locale: 'ar-XB' });
    await browser.patch('/users/me', { locale: null });

    expect(await mailsTo(browser.email)).toEqual(['language-changed en', 'language-changed ar-XB']);
  });

  it('tells of each of two changes at once in the language that it changes', async () => {
    const browser = await inLanguage('en-XA');
    await Promise.all(['ar-XB', 'en'].map((locale) => browser.patch('/users/me', { locale })));
    const [, ...later] = await mailsTo(browser.email);

    expect(later).toHaveLength(1);
    expect(later).not.toContain('language-changed en-XA');
  });

  it('records what changed, and never to what', async () => {
    const browser = await inLanguage(null);
    await browser.patch('/users/me', { name: 'Ada', time_zone: null });
    const id = await app.database.value('SELECT id FROM users WHERE email = $1', [browser.email]);

    expect(await detailsOf(app, id, 'account.updated')).toEqual([{ changed: 'name time_zone' }]);
  });

  it.each([
    ['klingon', 'unknown_locale', ['en', 'en-XA', 'ar-XB']],
    ['de', 'unknown_locale', ['en', 'en-XA', 'ar-XB']],
    ['../../de', 'not_a_locale', undefined],
    [`de-${'a'.repeat(33)}`, 'not_a_locale', undefined],
  ])('refuses the language %s and changes nothing', async (locale, code, choices) => {
    const browser = await inLanguage('en-XA');
    const { status, body } = await browser.patch('/users/me', { locale, name: 'Eve' });

    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      { field: 'locale', reasons: [{ code, ...(choices && { choices }) }] },
    ]);
    expect((await browser.get('/users/me')).body.user).toMatchObject({ locale: 'en-XA', name: null });
  });

  it('keeps a tag without its extensions', async () => {
    const browser = await inLanguage(null);
    const { body } = await browser.patch('/users/me', { locale: 'en-CH-u-ca-buddhist' });

    expect(body.user.locale).toBe('en-CH');
  });
});

describe('an invitation', () => {
  const inviteTo = async (email: string, more: object = {}) => {
    const { status, body } = await org.admin.post(`/orgs/${org.id}/invitations`, {
      email,
      role: 'member',
      ...more,
    });
    expect(status).toBe(201);
    return body.invitation;
  };

  it('is mailed in the language that its inviter asks for, which the new account does not inherit', async () => {
    const email = freshAddress();
    expect((await inviteTo(email, { locale: 'ar-XB' })).locale).toBe('ar-XB');
    const token = await app.mailbox.token(email);
    await app
      .browser()
      .post('/invitations/accept', { token, password: PASSWORD, time_zone: 'Asia/Tokyo' }, XA);

    expect((await mailsTo(email))[0]).toBe('invitation ar-XB');
    const user = 'SELECT locale, time_zone FROM users WHERE email = $1';
    expect(await app.database.rows(user, [email])).toEqual([{ locale: 'en-XA', time_zone: 'Asia/Tokyo' }]);
  });

  it('is mailed in the language of the account of its address, and says nothing of it', async () => {
    const email = await verified(app);
    await setLocale(email, 'en-XA');

    expect((await inviteTo(email, { locale: 'ar-XB' })).locale).toBe('ar-XB');
    expect(await mailsTo(email)).toEqual(['invitation en-XA']);
  });

  it('is mailed in the language of the inviter where neither it nor the organization has one', async () => {
    const email = freshAddress();
    await setLocale(org.admin.email, 'en-XA');
    expect((await inviteTo(email)).locale).toBe('en-XA');
    await setLocale(org.admin.email, null);

    expect(await mailsTo(email)).toEqual(['invitation en-XA']);
  });

  it.each(['klingon', 'not a tag'])('refuses the language %s', async (locale) => {
    const email = freshAddress();
    const { status } = await org.admin.post(`/orgs/${org.id}/invitations`, { email, role: 'member', locale });
    const many = await org.admin.post(`/orgs/${org.id}/invitations/many`, {
      emails: [email],
      role: 'member',
      locale,
    });

    expect([status, many.status]).toEqual([400, 400]);
    expect(await mailsTo(email)).toEqual([]);
  });
});

describe('an organization', () => {
  it('is made in a language, by which its first admin is invited', async () => {
    const [admin, email] = [await loggedInAs(app, 'sys_admin'), freshAddress()];
    const body = { name: 'Analytical', admin_email: email, locale: 'ar-XB' };
    const made = await admin.post('/orgs', body);

    expect([made.status, made.body.org?.locale, made.body.invitation?.locale]).toEqual([
      201,
      'ar-XB',
      'ar-XB',
    ]);
    expect(await mailsTo(email)).toEqual(['invitation ar-XB']);
    expect((await admin.post('/orgs', { ...body, locale: 'nl' })).status).toBe(400);
  });

  it('does not show its admins where a member is', async () => {
    await setLocale(org.member.email, 'ar-XB', 'Asia/Tokyo');
    const { body } = await org.admin.get(`/orgs/${org.id}/members`);
    const changed = await org.admin.patch(`/orgs/${org.id}/members/${org.member.id}`, { role: 'member' });

    expect(body.data.length).toBeGreaterThan(1);
    expect(JSON.stringify([body, changed.body])).not.toMatch(/Tokyo|time_zone|locale/);
  });
});

describe('an answer without a session', () => {
  it.each([
    ['/auth/signup', (email: string) => ({ email, password: PASSWORD })],
    ['/auth/verify-email/resend', (email: string) => ({ email })],
    ['/password/forgot', (email: string) => ({ email })],
    ['/auth/email-code', (email: string) => ({ email })],
    ['/auth/login', (email: string) => ({ email, password: 'a wrong one of it' })],
  ])('of %s names no language, whoever asks', async (path, bodyFor) => {
    const [unknown, inXa, inNone] = [freshAddress(), await verified(app), await verified(app)];
    await setLocale(inXa, 'en-XA');
    const answers = await Promise.all(
      [unknown, inXa, inNone].flatMap((email) =>
        [{}, XB].map((headers) => app.browser().post(path, bodyFor(email), headers)),
      ),
    );

    for (const { headers } of answers) {
      expect(headers['content-language']).toBeUndefined();
      expect(headers.vary ?? '').not.toMatch(/accept-language/i);
    }
  });
});

/** Moves an account to another address, as a user who reads the mail there does. */
async function moveTo(newEmail: string, browser: Browser): Promise<void> {
  await browser.post('/users/me/email', { new_email: newEmail, current_password: PASSWORD });
  const token = await app.mailbox.token(newEmail);
  expect((await browser.post('/users/me/email/confirm', { token })).status).toBe(200);
}

async function orgOf(browser: Browser): Promise<string> {
  return (await browser.get('/users/me')).body.user.org_id;
}
