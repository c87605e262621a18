import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MAIL_KINDS } from '../../src/mail/mail-kinds.js';
import { freshAddress, loggedInAs } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import type { Browser } from '../support/browser.js';
import type { Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { Page } from './page.js';

const LANGUAGES = ['en', 'ar', 'de', 'es', 'fr', 'it', 'ja', 'pl', 'pt-BR', 'zh-Hans'];

const LINK = /https?:\/\/\S+/g;

/** Where the links of mails lead: to the application, or to a page of the service. */
const HOMES = ['http://localhost:5173/', 'http://localhost:3000/ui/'];

let folder: string;
let app: TestApp;
let admin: Member;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-preview-'));
  await mkdir(join(folder, 'words'));
  await say({ 'mail.invitation.subject': 'Come and join {product}' });
  const de = { 'mail.invitation.subject': 'Machen Sie mit bei {product}' } as const;
  app = await TestApp.start(
    {
      SVC_LOCALES: LANGUAGES.join(),
      SVC_MESSAGES_DIR: folder,
      SVC_RATE_LIMITS: 'on',
      SVC_LIMIT_INVITE_PER_USER: '3/1h',
    },
    { product: { messages: { de } } },
  );
  admin = await loggedInAs(app, 'sys_admin');
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

/** Has the folder of the product say some texts in English. */
const say = (words: object) => writeFile(join(folder, 'words/en.json'), JSON.stringify({ words }));

/** A text whose isolates are elements in HTML. */
const plain = (text: string) => text.replace(/[\u2068\u2069]/g, '');

const preview = (kind: string, language: string, browser: Browser = admin) =>
  browser.get(`/mails/preview?kind=${kind}&language=${language}`);

const previewHtml = (kind: string, language: string, browser: Browser = admin) =>
  browser.get(`/mails/preview.html?kind=${kind}&language=${language}`);

const rows = (email: string) =>
  app.database.rows('SELECT kind, subject, language, expires_at FROM outbox_mails WHERE recipient = $1', [
    email,
  ]);

describe('GET /mails/kinds', () => {
  it('lists every kind, and the languages that are served, the default first', async () => {
    const { status, body } = await admin.get('/mails/kinds');

    expect([status, body]).toEqual([200, { kinds: MAIL_KINDS, languages: LANGUAGES }]);
  });
});

describe.each(LANGUAGES)('in %s', (language) => {
  it.each(MAIL_KINDS)('the preview of %s is whole', async (kind) => {
    const [json, document] = await Promise.all([preview(kind, language), previewHtml(kind, language)]);
    const { subject, text, direction } = json.body.preview;
    const page = new Page(document.text);
    const links: string[] = text.match(LINK) ?? [];

    expect([json.status, document.status]).toEqual([200, 200]);
    expect(json.body.preview).toMatchObject({ language, direction: language === 'ar' ? 'rtl' : 'ltr' });
    expect(page.faults).toEqual([]);
    expect(page.elements('html')[0]?.attributes).toMatchObject({ lang: language, dir: direction });
    expect(page.elements('h1')[0]?.text).toBe(plain(subject));
    expect(subject + text + page.text).not.toMatch(/[{}]|undefined|NaN/);
    expect(page.elements('a').map(({ attributes }) => attributes.href)).toEqual(links);
    for (const link of links) {
      expect(text.split('\n')).toContain(link);
      expect(HOMES.some((home) => link.startsWith(home))).toBe(true);
      const { searchParams } = new URL(link);
      expect(searchParams.get('ui_locales')).toBe(language);
      expect([null, 'sample-link-that-opens-nothing']).toContain(searchParams.get('token'));
    }
  });
});

describe('GET /mails/preview', () => {
  it('says the words of a product, of its folder and of its process', async () => {
    const [english, german] = await Promise.all([preview('invitation', 'en'), preview('invitation', 'de')]);

    expect(english.body.preview.subject).toBe('Come and join Latchkey');
    expect(german.body.preview.subject).toBe('Machen Sie mit bei Latchkey');
  });

  it('has names in its language', async () => {
    const { text } = (await preview('invitation', 'de')).body.preview;

    expect(text).toContain('Erika Mustermann');
    expect(text).toContain('„Muster GmbH“');
  });

  it('has a link that opens nothing', async () => {
    const { text } = (await preview('password-reset', 'en')).body.preview;
    const token = new URL(text.match(LINK)[0]).searchParams.get('token');
    const { status, body } = await app
      .browser()
      .post('/password/reset', { token, new_password: 'a new one, and a long one' });

    expect([status, body.code]).toEqual([400, 'InvalidToken']);
  });

  it.each([
    ['kind=lost&language=en', 'kind'],
    ['language=en', 'kind'],
    ['kind=invitation&language=nl', 'language'],
    ['kind=invitation&language=de-CH', 'language'],
    ['kind=invitation&language=../../de', 'language'],
    ['kind=invitation', 'language'],
    ['kind=invitation&language=en&to=eve@example.com', 'to'],
  ])('refuses ?%s at its field', async (query, field) => {
    for (const path of ['/mails/preview', '/mails/preview.html'])
      expect(await admin.get(`${path}?${query}`)).toMatchObject({
        status: 400,
        headers: { 'content-type': expect.stringContaining('application/problem+json') },
        body: { code: 'ValidationFailed', errors: [{ field }] },
      });
  });

  it('names the languages that there are, where one is none of them', async () => {
    const { body } = await preview('invitation', 'nl');

    expect(body.errors[0].reasons).toEqual([{ code: 'unknown_locale', choices: LANGUAGES }]);
  });
});

describe('GET /mails/preview.html', () => {
  it('runs nothing, is framed by the console alone, and is kept by no cache', async () => {
    const { headers } = await previewHtml('invitation', 'en');

    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src https:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
    });
  });

  it('is the mail that is sent, but that its links open elsewhere', async () => {
    const { text } = await previewHtml('already-registered', 'en');

    expect(text).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">\n<head><base target="_blank">\n/);
  });

  it('is the only document that the console may frame, and on the screen of mails', async () => {
    const policyOf = async (path: string) =>
      String((await app.browser().get(path)).headers['content-security-policy']);

    expect(await policyOf('/admin/mail')).toContain("; frame-src 'self';");
    for (const path of ['/admin', '/admin/system', '/admin/users', '/ui/login'])
      expect(await policyOf(path)).not.toContain('frame-src');
    expect((await preview('invitation', 'en')).headers['content-security-policy']).toContain(
      "frame-ancestors 'none'",
    );
  });
});

describe('POST /mails/test', () => {
  let tester: Member;
  beforeEach(async () => {
    tester = await loggedInAs(app, 'sys_admin');
  });

  it('mails a sample to the admin who asks, marked as a test, and records it', async () => {
    const before = await app.database.value('SELECT count(*) FROM outbox_mails');
    const events = await eventsAfter(app, async () => {
      const { status, text } = await tester.post('/mails/test', { kind: 'new-login', language: 'de' });
      expect([status, text]).toEqual([202, '']);
    });

    const { subject, text } = await app.mailbox.last(tester.email);
    expect(subject).toBe(`Test: ${(await preview('new-login', 'de')).body.preview.subject}`);
    expect(text).toBe((await preview('new-login', 'de')).body.preview.text);
    const [mail] = (await app.browser().get(`/dev/mail.json?to=${tester.email}`)).body.data;
    expect(new Page(mail.html).elements('h1')[0]?.text).toBe(subject);
    expect(events).toMatchObject([
      { type: 'mail.tested', actor_id: tester.id, details: { kind: 'new-login', language: 'de' } },
    ]);
    expect(Number(await app.database.value('SELECT count(*) FROM outbox_mails'))).toBe(Number(before) + 1);
  });

  it('counts as no warning, and never expires', async () => {
    await tester.post('/mails/test', { kind: 'new-login', language: 'en' });

    expect(await rows(tester.email)).toMatchObject([{ kind: 'test', language: 'en', expires_at: null }]);
  });

  it('buries no warning: its limit is that of invitations', async () => {
    const send = () => tester.post('/mails/test', { kind: 'new-login', language: 'en' });
    const answers = [await send(), await send(), await send(), await send()];

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 429]);
    expect(await rows(tester.email)).toHaveLength(3);
  });

  it.each(['to', 'email', 'address'])('goes to no other address: it refuses %s', async (field) => {
    const other = freshAddress();
    const body = { kind: 'invitation', language: 'en', [field]: other };
    expect(await tester.post('/mails/test', body)).toMatchObject({
      status: 400,
      body: { errors: [{ field }] },
    });

    expect([await rows(other), await rows(tester.email)]).toEqual([[], []]);
  });

  it.each([
    [{ kind: 'lost', language: 'en' }, 'kind'],
    [{ kind: 'invitation', language: 'nl' }, 'language'],
    [{ kind: 'invitation', language: null }, 'language'],
    [{ kind: ['invitation'], language: 'en' }, 'kind'],
  ])('refuses %j at its field, and sends nothing', async (body, field) => {
    expect(await tester.post('/mails/test', body)).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed', errors: [{ field }] },
    });
    expect(await rows(tester.email)).toEqual([]);
  });
});

describe('previews and tests of mails', () => {
  it.each(['org_admin', 'member', 'readonly'] as const)('are closed to %s', async (role) => {
    const other = await loggedInAs(app, role);

    for (const answer of [
      await other.get('/mails/kinds'),
      await preview('invitation', 'en', other),
      await previewHtml('invitation', 'en', other),
      await other.post('/mails/test', { kind: 'invitation', language: 'en' }),
    ])
      expect(answer).toMatchObject({ status: 403, body: { code: 'InsufficientRole' } });
    expect(await rows(other.email)).toEqual([]);
  });
});

describe('GET /dev/mail/preview', () => {
  const show = async (query = '') => {
    const { status, text } = await app.browser().get(`/dev/mail/preview${query}`);
    expect(status).toBe(200);
    return new Page(text);
  };

  it('shows a kind in a language, as HTML beside the text, to who is not logged in', async () => {
    const page = await show('?kind=invitation&language=ar');
    const { subject, text } = (await preview('invitation', 'ar')).body.preview;

    expect(page.faults).toEqual([]);
    expect(page.elements('pre')[0]).toMatchObject({ text, attributes: { lang: 'ar', dir: 'rtl' } });
    const { srcdoc, sandbox } = page.elements('iframe')[0]?.attributes ?? {};
    expect(sandbox).toBe('allow-popups allow-popups-to-escape-sandbox');
    expect(new Page(srcdoc ?? '').elements('h1')[0]?.text).toBe(plain(subject));
    const selected = page.elements('option').filter(({ attributes }) => 'selected' in attributes);
    expect(selected.map(({ attributes }) => attributes.value)).toEqual(['invitation', 'ar']);
    expect(page.elements('option')).toHaveLength(MAIL_KINDS.length + LANGUAGES.length);
  });

  it('reads the words anew each time, and says what is wrong with them', async () => {
    const subject = async () => (await show('?kind=role-raised')).elements('h2')[0]?.text;
    await say({ 'mail.roleRaised.subject': 'You are an admin now' });
    const [first, german] = [await subject(), (await show('?kind=invitation&language=de')).elements('h2')[0]];
    await say({ 'mail.roleRaised.subject': 'Congratulations' });

    expect([first, await subject()]).toEqual(['You are an admin now', 'Congratulations']);
    expect(german?.text).toBe('Machen Sie mit bei Latchkey');
    await say({ 'mail.roleRaised.subject': 'Congratulations, {nobody}' });
    const [fault] = (await show()).elements('pre');
    expect(fault?.text).toMatch(/MESSAGE_FAULTY: words\/en\.json, mail\.roleRaised\.subject.*nobody/);
  });

  it('refuses a kind that is none, and runs nothing', async () => {
    const { status, body } = await app.browser().get('/dev/mail/preview?kind=lost');
    const { headers } = await app.browser().get('/dev/mail/preview');

    expect([status, body.errors[0].field]).toEqual([400, 'kind']);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src https:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    });
  });
});
