import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WordsFiles } from '../../src/pages/words-files.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';

/** The default is one that no header of a browser falls into by accident. */
const SERVED = { SVC_LOCALES: 'ar-XB,en,en-XA' };
const DEFAULT = 'ar-XB';

let database: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  database = await TestDatabase.create();
  app = await TestApp.start(SERVED, { database });
});
afterAll(() => app.close());

interface Asked {
  query?: string;
  cookie?: string;
  accepted?: string | undefined;
}

/** Opens a page as a browser does that names no origin. */
function open(
  { query = '', cookie, accepted }: Asked,
  { path = '/ui/login', service = app, more = {} } = {},
) {
  return service.nest.inject({
    url: path + query,
    headers: {
      accept: 'text/html',
      ...(cookie !== undefined && { cookie }),
      ...(accepted !== undefined && { 'accept-language': accepted }),
      ...more,
    },
  });
}

function languageOf(document: string): string | undefined {
  return /<html lang="([^"]+)" dir="(?:ltr|rtl)">/.exec(document)?.[1];
}

describe('the language of a page for a browser that prefers', () => {
  it.each([
    ['nothing', undefined, DEFAULT],
    ['an empty list', '', DEFAULT],
    ['one', 'en', 'en'],
    ['one in capitals', 'EN', 'en'],
    ['one of a region', 'en-US', 'en'],
    ['one of a region, then without', 'en-GB,en;q=0.9', 'en'],
    ['the very one of a region', 'en-XA', 'en-XA'],
    ['the very one of a region, in small letters', 'en-xa', 'en-XA'],
    ['one of another region than ours', 'ar', 'ar-XB'],
    ['one of another region than ours, then another', 'ar-EG,en;q=0.8', 'ar-XB'],
    ['one that is not served', 'de', DEFAULT],
    ['one that is not served, then one that is', 'de,en', 'en'],
    ['two that are not served, then one that is', 'de-CH,fr;q=0.9,en;q=0.1', 'en'],
    ['the second of two more', 'ar;q=0.5,en;q=0.8', 'en'],
    ['one, and not at all another', 'en;q=0,en-XA', 'en-XA'],
    ['none at all of one', 'en;q=0', DEFAULT],
    ['none at all of one, in three digits', 'en;q=0.000', DEFAULT],
    ['any', '*', DEFAULT],
    ['one that is not served, then any', 'fr,*;q=0.5', DEFAULT],
    ['any more than one', 'en;q=0.5,*;q=0.9', DEFAULT],
    ['one, then any', 'en,*;q=0.5', 'en'],
    ['one with blanks around its weight', 'en ; q=0.9 , ar ; q=0.1', 'en'],
    ['one with a capital Q', 'en;Q=0.9,ar;q=0.1', 'en'],
    ['one with a tab between', 'de,\ten', 'en'],
    ['a weight above one', 'en;q=2', DEFAULT],
    ['a weight that is no number', 'en;q=abc', DEFAULT],
    ['a weight of four digits, then a sound one', 'ar;q=0.9999,en;q=0.1', 'en'],
    ['one with an underscore', 'en_US', DEFAULT],
    ['a private tag', 'x-klingon', DEFAULT],
    ['an old tag', 'i-klingon', DEFAULT],
    ['its usual script', 'en-Latn-US', 'en'],
    ['another script', 'en-Cyrl', DEFAULT],
    ['another calendar', 'en-u-ca-buddhist', 'en'],
    ['commas', ',,,', DEFAULT],
    ['commas before one', ',,en', 'en'],
    ['nine others first', `${'de,'.repeat(9)}en`, 'en'],
    ['ten others first', `${'de,'.repeat(10)}en`, DEFAULT],
    ['eight kilobytes of others', 'de,'.repeat(2700), DEFAULT],
    ['eight kilobytes of one letter', 'x'.repeat(8000), DEFAULT],
    ['one before eight kilobytes of rubbish', `en,${'x'.repeat(8000)}`, 'en'],
    ['markup', '<script>alert(1)</script>', DEFAULT],
    ['a path', '../../en', DEFAULT],
    ['letters of Latin-1', 'é\u00ff', DEFAULT],
    ['one with a tag of 36 characters', 'en-abcdefgh-abcdefgh-abcdefgh-abcdefgh', DEFAULT],
  ])('%s is a served one', async (_, accepted, expected) => {
    const { statusCode, payload, headers } = await open({ accepted });

    expect([statusCode, languageOf(payload)]).toEqual([200, expected]);
    expect(headers['content-language']).toBe(expected);
  });
});

describe('the language of a page', () => {
  it.each<[string, Asked, string]>([
    ['what the link asks for', { query: '?ui_locales=en-XA', cookie: 'session_id_language=en' }, 'en-XA'],
    ['the first that is served of its tags', { query: '?ui_locales=de%20en%20en-XA' }, 'en'],
    ['that of its tags, with a plus as a blank', { query: '?ui_locales=de+en' }, 'en'],
    ['what was chosen, before what the browser prefers', { cookie: 'session_id_language=en-XA' }, 'en-XA'],
    [
      'what was chosen, where the link asks for one that is not served',
      { query: '?ui_locales=de', cookie: 'session_id_language=en-XA' },
      'en-XA',
    ],
    [
      'what was chosen, where the link asks for NUL',
      { query: '?ui_locales=%00', cookie: 'session_id_language=en-XA' },
      'en-XA',
    ],
    [
      'what was chosen, where the link asks for nothing',
      { query: '?ui_locales=', cookie: 'session_id_language=en-XA' },
      'en-XA',
    ],
    [
      'what was chosen, where the link asks twice',
      { query: '?ui_locales=en&ui_locales=ar', cookie: 'session_id_language=en-XA' },
      'en-XA',
    ],
    [
      'what was chosen, where the link asks in its 201st character',
      { query: `?ui_locales=${'x'.repeat(199)}+en`, cookie: 'session_id_language=en-XA' },
      'en-XA',
    ],
    [
      'what the browser prefers, where a tag was chosen that is not served',
      { cookie: 'session_id_language=de' },
      'en',
    ],
    ['what the browser prefers, where markup was chosen', { cookie: 'session_id_language="><script>' }, 'en'],
    ['what the browser prefers, where NUL was chosen', { cookie: 'session_id_language=%00' }, 'en'],
    [
      'what the browser prefers, where four kilobytes were chosen',
      { cookie: `session_id_language=${'en-XA'.repeat(800)}` },
      'en',
    ],
    [
      'what the browser prefers, where there are two cookies of the name',
      { cookie: 'session_id_language=en-XA; session_id_language=ar-XB' },
      'en',
    ],
  ])('is %s', async (_, asked, expected) => {
    const { statusCode, payload, headers } = await open({ accepted: 'en', ...asked });
    const plain = await open({ accepted: expected });

    expect([statusCode, languageOf(payload)]).toEqual([200, expected]);
    // Nothing of what a stranger wrote comes back, and nothing is kept.
    expect(payload).toBe(plain.payload);
    expect(headers['content-language']).toBe(expected);
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('is that of the whole document from its first byte', async () => {
    const [english, other] = await Promise.all([open({ accepted: 'en' }), open({ accepted: 'en-XA' })]);

    expect(english.payload).toContain('<noscript>This page needs JavaScript');
    expect(other.payload).toContain('<noscript>[Ţĥîš þåĝé ñééðš');
    expect(other.payload).toContain('<html lang="en-XA" dir="ltr">');
    expect((await open({})).payload).toContain('<html lang="ar-XB" dir="rtl">');
    const [, words = ''] =
      /as="fetch" crossorigin href="\.\.(\/ui\/assets\/[^"]+)"/.exec(other.payload) ?? [];
    expect(words).toContain('/login-words-en-XA-');
    expect((await app.browser().get(words)).body).toMatchObject({ tag: 'en-XA', direction: 'ltr' });
  });

  it('is told to caches, with what it depends on', async () => {
    const { headers } = await open({ accepted: 'en' });

    expect(headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-language': 'en',
      vary: 'origin, accept-language, cookie',
    });
  });

  it('is that of the page which says that there is none, too', async () => {
    const { statusCode, payload, headers } = await open({ accepted: 'en-XA' }, { path: '/ui/nowhere' });

    expect([statusCode, languageOf(payload)]).toEqual([404, 'en-XA']);
    expect(payload).toContain('Þåĝé ñöţ ƒöûñð');
    expect(headers).toMatchObject({ 'content-language': 'en-XA', vary: 'origin, accept-language, cookie' });
    expect(headers.etag).toBeUndefined();
  });

  it('names the languages to choose from, each by its own name, where there are several', async () => {
    const alone = await TestApp.start({ SVC_LOCALES: 'en' }, { database });
    const [several, one] = await Promise.all([open({}), open({}, { service: alone })]);
    await alone.nest.close();

    const listed = '&#34;languages&#34;:[[&#34;ar-XB&#34;,&#34;ar-XB&#34;],[&#34;en&#34;,&#34;English&#34;]';
    expect(several.payload).toContain(listed);
    expect(one.payload).not.toContain('languages');
  });
});

describe('a page that a browser has already', () => {
  const PROD = {
    SVC_ENVIRONMENT: 'beta',
    SVC_BASE_WEB_URL: 'https://app.example.com',
    SVC_BASE_API_URL: 'https://api.example.com',
  };

  it.each([
    ['dev', SERVED],
    ['beta', PROD],
  ])('is not sent again, in %s', async (_, settings) => {
    const service = await TestApp.start(settings, { database });
    const { headers } = await open({ accepted: 'en' }, { service });
    const etag = String(headers.etag);
    const again = (known: string) =>
      open({ accepted: 'en' }, { service, path: '/ui/signup', more: { 'if-none-match': known } });
    const answers = await Promise.all([etag, `W/${etag}`, `"other", ${etag}`, '*', '"other"'].map(again));
    await service.nest.close();

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([304, 304, 304, 304, 200]);
    expect(answers[0]?.payload).toBe('');
    expect(answers[0]?.headers).toMatchObject({
      etag,
      'cache-control': 'no-cache',
      'content-language': 'en',
      vary: 'origin, accept-language, cookie',
    });
  });

  it('is sent in another language, which has another tag', async () => {
    const { headers } = await open({ accepted: 'en' });
    const more = { 'if-none-match': String(headers.etag) };
    const { statusCode, payload } = await open({ accepted: 'en-XA' }, { more });

    expect([statusCode, languageOf(payload)]).toEqual([200, 'en-XA']);
  });
});

describe('PUT /ui/language', () => {
  const choose = (language: unknown, service = app, origin = 'http://localhost:3000') =>
    service.browser({ origin }).send('PUT', '/ui/language', { language });

  it('keeps a language for this browser, for a year', async () => {
    const browser = app.browser({ origin: 'http://localhost:3000' });
    const { status, text, cookies } = await browser.send('PUT', '/ui/language', { language: 'en-XA' });

    expect([status, text]).toEqual([204, '']);
    expect(cookies).toEqual(['session_id_language=en-XA; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax']);
    expect(languageOf((await browser.get('/ui/login', { 'accept-language': 'en' })).text)).toBe('en-XA');
    await browser.send('PUT', '/ui/language', { language: 'en' });
    expect(languageOf((await browser.get('/admin')).text)).toBe('en');
  });

  it('keeps it so that outside dev no neighbouring host can plant one', async () => {
    const settings = {
      SVC_ENVIRONMENT: 'beta',
      SVC_BASE_WEB_URL: 'https://app.example.com',
      SVC_BASE_API_URL: 'https://api.example.com',
    };
    const beta = await TestApp.start(settings, { database });
    const { cookies } = await choose('en', beta, 'https://api.example.com');
    await beta.nest.close();

    expect(cookies).toEqual([
      '__Host-session_id_language=en; Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
  });

  it.each(['de', 'en-GB', '../../en', '', 'x'.repeat(4000), null, 1, ['en'], { tag: 'en' }, '*'])(
    'refuses %j, which is none that is served',
    async (language) => {
      const { status, body, cookies } = await choose(language);

      expect([status, body.code, body.errors[0].field]).toEqual([400, 'ValidationFailed', 'language']);
      expect(cookies).toEqual([]);
    },
  );

  it('names those that are', async () => {
    const { body } = await choose('de');

    expect(body.errors[0].reasons).toEqual([{ code: 'unknown_locale', choices: ['ar-XB', 'en', 'en-XA'] }]);
  });

  it('refuses a page of another origin, and a form', async () => {
    const foreign = await choose('en-XA', app, 'https://evil.example');
    const form = await app.browser().send('PUT', '/ui/language', 'language=en-XA', {
      'content-type': 'application/x-www-form-urlencoded',
    });

    expect([foreign.status, foreign.body.code, foreign.cookies]).toEqual([403, 'OriginNotAllowed', []]);
    expect([form.status, form.cookies]).toEqual([415, []]);
  });
});

describe('a file of words', () => {
  const NAME = /login-words-en-XA-(\w{8})-\w{8}\.json/;
  const nameIn = async () => NAME.exec((await open({ accepted: 'en-XA' })).payload) as RegExpExecArray;

  it('of another build with the same texts is ours, and is never kept', async () => {
    const [name, catalogue] = await nameIn();
    const ours = await app.browser().get(`/ui/assets/${name}`);
    const theirs = await app.browser().get(`/ui/assets/login-words-en-XA-${catalogue}-01234567.json`);

    expect([theirs.status, theirs.text]).toEqual([200, ours.text]);
    expect(ours.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(theirs.headers['cache-control']).toBe('no-store');
  });

  it.each([
    ['of a build with other texts', 'login-words-en-XA-01234567-01234567.json'],
    ['in a language that nobody has', 'login-words-tlh-CATALOGUE-01234567.json'],
    ['of another script', 'admin-words-en-XA-CATALOGUE-01234567.json'],
    ['as it is compressed', 'login-words-en-XA-CATALOGUE-01234567.json.br'],
  ])('%s is 404', async (_, name) => {
    const [, catalogue = ''] = await nameIn();
    const { status } = await app.browser().get(`/ui/assets/${name.replace('CATALOGUE', catalogue)}`);

    expect(status).toBe(404);
  });

  it('in a language that is not served is 404', async () => {
    const [name, catalogue] = await nameIn();
    const english = await TestApp.start({ SVC_LOCALES: 'en' }, { database });
    const asked = [name, `login-words-en-XA-${catalogue}-01234567.json`];
    const answers = await Promise.all(asked.map((each) => english.browser().get(`/ui/assets/${each}`)));
    await english.nest.close();

    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  });

  it('has the name of its catalogue: the same in each language, and another once a text comes or goes', async () => {
    const [english, other] = await Promise.all(['en', 'en-XA'].map((tag) => WordsFiles.read(tag, [])));
    const catalogueOf = (words: WordsFiles | undefined, sources: string[]) =>
      words?.of('login', sources).name.split('-').at(-2);
    const one = ["say(Word['login.title'])"];

    const ofOne = catalogueOf(english, one);
    expect(catalogueOf(other, one)).toBe(ofOne);
    expect(catalogueOf(english, [...one, "say(Word['login.forgot'])"])).not.toBe(ofOne);
  });
});
