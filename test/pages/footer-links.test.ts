import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Facts } from '../../src/pages/facts.js';
import { Page } from '../mail/page.js';
import { freshAddress, loggedInAs, PASSWORD } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';

const LINKS = [
  {
    url: 'https://example.com/{language}/imprint?a=1&b=2',
    words: { en: 'Imprint & <more>', de: 'Impressum' },
    mails: true,
  },
  { url: 'mailto:legal@example.com?subject=x', words: { en: 'Write to us' }, mails: true },
  { url: 'https://example.com/status', words: { en: 'Status' } },
];

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({
    SVC_LOCALES: 'en,de,ar-XB',
    SVC_FOOTER_LINKS: JSON.stringify(LINKS),
    SVC_TERMS_URL: 'https://example.com/{language}/terms',
    SVC_PRIVACY_URL: 'https://{language}.example.com/privacy',
  });
});
afterAll(() => app.close());

async function factsOf(page: string): Promise<Facts> {
  const { text } = await app.browser().get(page);
  const [meta] = new Page(text).elements('meta').filter(({ attributes }) => attributes.name === 'latchkey');
  return JSON.parse(meta?.attributes.content ?? '');
}

describe('the links of a product', () => {
  it.each(['/ui/login', '/ui/account', '/admin', '/admin/system'])(
    'are in the document of %s from its first byte, in its language',
    async (page) => {
      const [english, german] = [await factsOf(page), await factsOf(`${page}?ui_locales=de`)];

      expect(english.links).toEqual([
        { label: 'Imprint & <more>', url: 'https://example.com/en/imprint?a=1&b=2' },
        { label: 'Write to us', url: 'mailto:legal@example.com?subject=x' },
        { label: 'Status', url: 'https://example.com/status' },
      ]);
      expect(german.links?.slice(0, 2)).toEqual([
        { label: 'Impressum', url: 'https://example.com/de/imprint?a=1&b=2' },
        { label: 'Write to us', url: 'mailto:legal@example.com?subject=x', tag: 'en' },
      ]);
    },
  );

  it('stand on the page for missing ones, which has no script', async () => {
    const links = async (url: string) => {
      const { payload } = await app.nest.inject({ url, headers: { accept: 'text/html' } });
      const footer = payload.slice(payload.indexOf('<footer>'), payload.indexOf('</footer>'));
      return new Page(footer).elements('a').map(({ text, attributes }) => [text, attributes]);
    };

    expect(await links('/ui/x')).toEqual([
      ['Imprint & <more>', { href: 'https://example.com/en/imprint?a=1&b=2' }],
      ['Write to us', { href: 'mailto:legal@example.com?subject=x' }],
      ['Status', { href: 'https://example.com/status' }],
    ]);
    expect(await links('/admin/x?ui_locales=ar-XB')).toContainEqual([
      'Status',
      { href: 'https://example.com/status', lang: 'en', dir: 'auto' },
    ]);
  });

  it('leave the addresses of terms and privacy notice in the language of the page', async () => {
    expect(await factsOf('/ui/signup?ui_locales=de')).toMatchObject({
      termsUrl: 'https://example.com/de/terms',
      privacyUrl: 'https://de.example.com/privacy',
    });
    expect(await factsOf('/ui/signup')).toMatchObject({ termsUrl: 'https://example.com/en/terms' });
  });

  it.each([
    ['de', 'Impressum', 'de'],
    ['ar-XB', 'Imprint & <more>', 'en'],
  ])('stand in mails of %s where they are for mails', async (language, label, tag) => {
    const email = freshAddress();
    const headers = { 'accept-language': language };
    await app.browser().post('/auth/signup', { email, password: PASSWORD }, headers);
    const { text } = await app.mailbox.last(email);
    const mail = (await app.browser().get(`/dev/mail.json?to=${email}`)).body.data[0];
    const page = new Page(mail.html);

    expect(page.faults).toEqual([]);
    expect(
      page
        .elements('a')
        .slice(-2)
        .map((link) => [link.text, link.attributes.href, link.attributes.lang]),
    ).toEqual([
      [label, `https://example.com/${tag}/imprint?a=1&b=2`, tag],
      ['Write to us', 'mailto:legal@example.com?subject=x', 'en'],
    ]);
    const lines = text.split('\n');
    expect(lines.slice(-4)).toEqual([
      expect.stringContaining(label),
      `https://example.com/${tag}/imprint?a=1&b=2`,
      expect.stringContaining('Write to us'),
      'mailto:legal@example.com?subject=x',
    ]);
    expect(text + mail.html).not.toContain('example.com/status');
  });

  it('are shown to system admins with the other settings, as JSON', async () => {
    const admin = await loggedInAs(app, 'sys_admin');
    const { settings } = (await admin.get('/system')).body.system;
    const { value } = settings.find(({ name }: { name: string }) => name === 'SVC_FOOTER_LINKS');

    expect(JSON.parse(`[${value}]`)).toEqual(LINKS.map((link) => ({ mails: false, ...link })));
  });
});
