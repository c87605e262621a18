import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newTranslation, openIn, signed, synced, translated, unreadable } from '../../docs/translations.js';
import { columnsOf } from '../../src/words/columns.js';
import { compileLanguage, compileTranslation, writeWords } from '../../src/words/compile.js';
import { directionOf, fileFaults, tagFaults } from '../../src/words/file-faults.js';
import { Language } from '../../src/words/language.js';
import {
  hashOf,
  languageTags,
  readLanguageFile,
  type SourceFile,
  type TranslationFile,
} from '../../src/words/language-file.js';
import { builtLanguages, shippedLanguages } from '../../src/words/read-language.js';

const ENGLISH: SourceFile = {
  language: 'en',
  name: 'English',
  direction: 'ltr',
  values: {
    product: 'constant',
    org: 'person',
    email: 'person',
    count: 'count',
    min: 'count',
    at: 'moment',
    role: ['member', 'admin'],
  },
  words: {
    'mail.invitation.subject': 'You are invited to {product}',
    'mail.invitation.invites':
      'You are invited to join “{org}” at {product}, as {role, select, member {a member} other {an admin}}.',
    'mail.codes.left': 'You have {count, plural, =0 {no codes} one {# code} other {# codes}} left.',
    'mail.code.sent': 'The code was sent on {at, date, moment}. It has six digits.',
    'login.title': { text: 'Log in', max: 12, note: 'The title of the page.' },
    'login.sent': 'We sent a link to <strong>{email}</strong>. <link>Send another one</link>',
    'login.short': 'Use at least {min, number} characters.',
    'login.delete': { text: 'Delete the account', critical: true },
    'act.login.succeeded': 'Somebody logged in',
  },
};

const POLISH: TranslationFile = {
  language: 'pl',
  name: 'Polski',
  direction: 'ltr',
  state: 'machine',
  words: {
    'mail.invitation.subject': 'Zaproszenie do {product}',
    'mail.invitation.invites':
      '{role, select, member {Jako członek} other {Jako administrator}} możesz dołączyć do „{org}” w {product}.',
    'mail.codes.left':
      'Pozostało: {count, plural, =0 {brak kodów} one {# kod} few {# kody} many {# kodów} other {# kodu}}.',
    'mail.code.sent': 'Kod wysłano {at, date, moment}. Ma 6 cyfr.',
    'login.title': 'Zaloguj się',
    'login.sent': '<link>Wyślij kolejny</link>, jeśli link wysłany na <strong>{email}</strong> nie dotarł.',
    'login.short':
      'Użyj co najmniej {min, plural, one {# znaku} few {# znaków} many {# znaków} other {# znaku}}.',
    'login.delete': 'Usuń konto',
    'act.login.succeeded': 'Ktoś się zalogował',
  },
  of: Object.fromEntries(
    Object.entries(ENGLISH.words).map(([key, entry]) => [
      key,
      hashOf(typeof entry === 'string' ? entry : entry.text),
    ]),
  ),
};

const withText = (key: string, text: string): TranslationFile => ({
  ...POLISH,
  words: { ...POLISH.words, [key]: text },
});
const faultsOf = (file: TranslationFile, source = ENGLISH) => [
  ...fileFaults(file.language, file, source),
  ...compileTranslation(file, source).faults,
];
const changed = (words: SourceFile['words']): SourceFile => ({
  ...ENGLISH,
  words: { ...ENGLISH.words, ...words },
});
const without = <Value>(key: string, all: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(all).filter(([each]) => each !== key));

describe('the check of a language', () => {
  it('passes one that says in its own order, and with its own plurals, what English says', () => {
    expect(faultsOf(POLISH)).toEqual([]);
  });

  it.each<[string, string, string | undefined, string]>([
    ['a key that is missing', 'login.title', undefined, 'it is missing: npm run words -- sync'],
    ['a key that English has not', 'login.more', 'Więcej', 'English has no such text'],
    ['a value that is missing', 'mail.invitation.subject', 'Zaproszenie', 'it lacks {product}'],
    ['a value of another name', 'mail.invitation.subject', 'Do {produkt}', '{produkt} has no kind'],
    [
      'a value that English has elsewhere',
      'login.delete',
      'Usuń {email}',
      'it has {email}, which English has not',
    ],
    [
      'a value that one case of a select lacks',
      'mail.invitation.invites',
      '{role, select, member {Do „{org}” w {product}} other {Do {product}}}.',
      'it lacks {org} where role=other',
    ],
    [
      'a number in place of a plural',
      'mail.codes.left',
      'Kody: {count, number}',
      'uses {count} as number, and English as plural',
    ],
    [
      'a plural without few',
      'mail.codes.left',
      '{count, plural, =0 {brak} one {# kod} many {# kodów} other {# kodu}}',
      'the plural of {count} lacks few',
    ],
    [
      'a plural with two, which Polish has not',
      'mail.codes.left',
      '{count, plural, =0 {brak} one {#} two {#} few {#} many {#} other {#}}',
      'has two, which the language has not',
    ],
    [
      'a plural without the case of zero that English has',
      'mail.codes.left',
      '{count, plural, one {# kod} few {# kody} many {# kodów} other {# kodu}}',
      'lacks the case =0 of English',
    ],
    [
      'another case of a select',
      'mail.invitation.invites',
      '{role, select, członek {a} other {b}} „{org}” {product}',
      'which are not its names',
    ],
    ['a slot that is missing', 'login.sent', 'Wysłano na <strong>{email}</strong>', 'and English has <link>'],
    [
      'a slot within another',
      'login.sent',
      '<link>Wysłano na <strong>{email}</strong></link>',
      'it has <link>, <link><strong>, and English has <link>, <strong>',
    ],
    ['an empty slot', 'login.sent', '<strong>{email}</strong> <link> </link>', 'the slot <link> is empty'],
    ['a text that is too long', 'login.title', 'Zaloguj się teraz', 'longer than 12 columns'],
    [
      'a subject that is too long',
      'mail.invitation.subject',
      `${'słowo '.repeat(10)}{product}`,
      '60 columns',
    ],
    ['a straight apostrophe', 'login.delete', "Usu'ń konto", 'write ’ in place of a straight apostrophe'],
    ['a link', 'login.delete', 'Usuń na https://evil.example', 'looks like a link or an address'],
    ['the name of a site', 'login.delete', 'Usuń na evil.example teraz', 'looks like a link or an address'],
    [
      'the name of a site in two parts',
      'login.sent',
      '<link>evil</link>.com <strong>{email}</strong>',
      'looks like a link',
    ],
    ['the name of a site with a joiner in it', 'login.delete', 'evil\u200d.\u200dcom', 'looks like a link'],
    ['the name of a site in other forms of letters', 'login.delete', 'ｅｖｉｌ．ｃｏｍ', 'looks like a link'],
    ['a value with an end of ours', 'mail.invitation.subject', '{product}.com', 'looks like a link'],
    ['an address', 'login.delete', 'Napisz: a＠b', 'looks like a link or an address'],
    ['a telephone number', 'login.delete', 'Usuń +48 (22) 123-45', 'looks like a telephone number'],
    [
      'digits in a plural that are one',
      'mail.codes.left',
      '{count, plural, =0 {0 9 0 0 1} one {#} few {#} many {#} other {#}}',
      'looks like a telephone number',
    ],
    ['a number', 'login.delete', 'Usuń 24 konta', 'the number 24, which English has not'],
    ['a number in Arabic digits', 'login.delete', 'Usuń ٢٤ konta', 'the number 24, which English has not'],
    ['an invisible character', 'login.delete', 'Usuń\u200b konto', 'invisible character U+200B'],
    ['a character that turns the text', 'login.delete', 'Usuń \u202ekonto', 'invisible character U+202E'],
    ['a word of two scripts', 'login.delete', 'Usuń kоnto', 'has letters of Latin and Cyrillic'],
    [
      'a name without quotation marks',
      'mail.invitation.invites',
      '{role, select, member {a} other {b}}: {org} w {product}.',
      '{org} stands without quotation marks',
    ],
    [
      'nothing in a case',
      'login.short',
      '{min, plural, one {} few {#} many {#} other {#}}',
      'it says nothing in one of its cases',
    ],
    ['a brace that does not end', 'login.delete', 'Usuń {konto', 'it is no ICU text'],
  ])('refuses %s, and names file and key', (_, key, text, fault) => {
    const file = text === undefined ? { ...POLISH, words: without(key, POLISH.words) } : withText(key, text);

    const faults = faultsOf(file);

    expect(faults).toEqual(expect.arrayContaining([expect.stringContaining(fault)]));
    for (const each of faults) expect(each).toMatch(new RegExp(`^pl\\.json, ${key}: `));
  });

  it.each([
    ['a space that does not break', 'login.delete', 'Supprimer\u00a0! \u202fOui'],
    ['the joiners of Persian', 'login.delete', 'می\u200cخواهم'],
    [
      'Japanese in its three scripts, with a Latin word',
      'login.delete',
      'アカウントを削除するWebページ。次へ',
    ],
    ['a full stop that values follow', 'mail.invitation.subject', '加入{product}。{product}'],
    [
      'quotation marks of French',
      'mail.invitation.invites',
      '{role, select, member {a} other {b}} «\u00a0{org}\u00a0» {product}',
    ],
    [
      'quotation marks of Japanese',
      'mail.invitation.invites',
      '「{org}」{product} {role, select, member {a} other {b}}',
    ],
    ['a number that English writes as a word', 'mail.code.sent', '{at, date, moment}: ٦ أرقام'],
    [
      'an own case for one in a plural',
      'mail.codes.left',
      '{count, plural, =0 {0} =1 {1} one {#} few {#} many {#} other {#}}',
    ],
  ])('allows %s', (_, key, text) => {
    expect(faultsOf(withText(key, text))).toEqual([]);
  });

  it('counts two columns for a letter of Chinese, Japanese and Korean', () => {
    expect(columnsOf('Ab1')).toBe(3);
    expect(columnsOf('ログイン')).toBe(8);
    expect(columnsOf('登录。')).toBe(6);
    expect(columnsOf('로그인')).toBe(6);
    expect(columnsOf('ﾛｸﾞ')).toBe(3);
    expect(columnsOf('e\u0301\u200c')).toBe(1);
    expect(faultsOf(withText('login.title', 'ログインする人'))).toEqual([
      'pl.json, login.title: it is longer than 12 columns: say it shorter',
    ]);
  });

  it('does not count long with a text of a thousand cases', () => {
    const exact = Array.from({ length: 80 }, (_, index) => `=${index + 1} {#}`).join(' ');
    const plural = (name: string, cases: string) => `{${name}, plural, ${cases} other {#}}`;
    const source = changed({
      'login.delete': ['count', 'min'].map((name) => plural(name, 'one {#}')).join(' and '),
    });
    const file = withText(
      'login.delete',
      ['count', 'min'].map((name) => plural(name, `one {#} few {#} many {#} ${exact}`)).join(' i '),
    );

    expect(faultsOf(file, source)).toEqual([expect.stringContaining('it has too many cases')]);
  });

  it.each([
    ['another tag than its name', { language: 'pt' }, '"language" is pt: write pl'],
    ['no name', { name: '' }, '"name" is missing'],
    ['a link for its name', { name: 'Polski evil.com' }, 'in "name", it has “evil.com”'],
    ['a long name', { name: 'Polski '.repeat(5) }, '"name" is longer than 32 columns'],
    ['a direction that there is not', { direction: 'up' as 'ltr' }, '"direction" is ltr or rtl'],
    ['a state that there is not', { state: 'perfect' as 'machine' }, '"state" is machine or reviewed'],
    ['a review that nobody signed', { state: 'reviewed' as const }, 'nobody has signed it'],
    [
      'a signature of a machine',
      { reviewedBy: { name: 'Ada', date: '2026-11-21', hash: '12345678' } },
      'take "reviewedBy" away',
    ],
    ['a field of another file', { glossary: {} }, 'it has glossary'],
  ])('refuses a file with %s', (_, fields, fault) => {
    expect(fileFaults('pl', { ...POLISH, ...fields }, ENGLISH)).toEqual([
      expect.stringMatching(new RegExp(`^pl\\.json: .*${fault}`)),
    ]);
  });

  it.each([
    ['../en', 'no tag'],
    ['klingon', 'does not know'],
    ['de-u-ca-buddhist', 'no tag'],
    ['pt-br', 'write its name pt-BR.json'],
  ])('refuses the tag %s', (tag, fault) => {
    expect(tagFaults(tag)).toEqual([expect.stringContaining(fault)]);
  });
});

describe('a reviewed language', () => {
  const REVIEWED = signed(POLISH, ENGLISH, 'Ada Lovelace', new Date('2026-11-21T13:30Z'));

  it('has the signature of a person', () => {
    expect(REVIEWED).toMatchObject({
      state: 'reviewed',
      reviewedBy: { name: 'Ada Lovelace', date: '2026-11-21', hash: expect.stringMatching(/^[\da-f]{8}$/) },
    });
    expect(faultsOf(REVIEWED)).toEqual([]);
  });

  it.each(['mail.invitation.subject', 'login.delete'])('has to be read again once %s is another', (key) => {
    const other = {
      ...REVIEWED,
      words: { ...REVIEWED.words, [key]: 'Inne {product}'.slice(0, key === 'login.delete' ? 4 : 14) },
    };

    expect(faultsOf(other)).toEqual([
      expect.stringContaining('its critical texts are not those that Ada Lovelace read'),
    ]);
  });

  it('stays reviewed when a text changes that is not critical', () => {
    expect(faultsOf({ ...REVIEWED, words: { ...REVIEWED.words, 'login.title': 'Logowanie' } })).toEqual([]);
    expect(faultsOf(REVIEWED, changed({ 'login.title': { text: 'Come in', note: 'A title.' } }))).toEqual([]);
  });

  it('fails when the English of a critical text changes', () => {
    expect(faultsOf(REVIEWED, changed({ 'mail.invitation.subject': 'Join {product}' }))).toEqual([
      expect.stringMatching(/^pl\.json, mail\.invitation\.subject: .*an older English text/),
    ]);
    expect(faultsOf(POLISH, changed({ 'mail.invitation.subject': 'Join {product}' }))).toEqual([]);
  });

  it('is not signed while its critical texts are English', () => {
    const file = newTranslation('nl', ENGLISH);
    expect(unreadable(file, ENGLISH)).toEqual([
      'mail.invitation.subject',
      'mail.invitation.invites',
      'mail.codes.left',
      'mail.code.sent',
      'login.delete',
    ]);
    expect(unreadable(POLISH, ENGLISH)).toEqual([]);
  });
});

describe('a new language', () => {
  it.each([
    ['nl', 'Nederlands', 'ltr'],
    ['pl', 'Polski', 'ltr'],
    ['ja', '日本語', 'ltr'],
    ['ar', 'العربية', 'rtl'],
    ['zh-Hans', '简体中文', 'ltr'],
  ])('says English, and is whole: %s', (tag, name, direction) => {
    const file = newTranslation(tag, ENGLISH);

    expect(file).toMatchObject({ language: tag, name, direction, state: 'machine' });
    expect(Object.keys(file.words)).toEqual(Object.keys(ENGLISH.words));
    expect(openIn(file, ENGLISH)).toEqual({ untranslated: Object.keys(ENGLISH.words), stale: [] });
    expect(faultsOf(file)).toEqual([]);
  });

  it('counts as the language does', () => {
    expect(newTranslation('pl', ENGLISH).words['mail.codes.left']).toBe(
      'You have {count, plural, =0 {no codes} one {# code} few {# codes} many {# codes} other {# codes}} left.',
    );
  });

  it('is written from right to left where its script is', () => {
    expect(['ar', 'he', 'fa', 'ur', 'ks-Deva', 'az'].map(directionOf)).toEqual([
      'rtl',
      'rtl',
      'rtl',
      'rtl',
      'ltr',
      'ltr',
    ]);
  });
});

describe('what a translator hands in', () => {
  const NEW = newTranslation('pl', ENGLISH);

  it('takes its place in the order of English, and is no longer untranslated', () => {
    const { file, faults } = translated(NEW, ENGLISH, {
      'login.delete': 'Usuń konto',
      'login.title': 'Zaloguj się',
    });

    expect(faults).toEqual([]);
    expect(Object.keys(file.words)).toEqual(Object.keys(ENGLISH.words));
    expect(file.words['login.title']).toBe('Zaloguj się');
    expect(file.of['login.title']).toBe(hashOf('Log in'));
    expect(openIn(file, ENGLISH).untranslated).not.toContain('login.title');
    expect(openIn(file, ENGLISH).untranslated).toHaveLength(7);
  });

  it('may be what English says, on purpose', () => {
    const { file } = translated(NEW, ENGLISH, { 'login.title': 'Log in' });

    expect(file.of['login.title']).toBe(`=${hashOf('Log in')}`);
    expect(openIn(file, ENGLISH).untranslated).not.toContain('login.title');
  });

  it('stays out where it has a fault, or a key that English has not', () => {
    const { file, faults } = translated(NEW, ENGLISH, {
      'login.delete': 'Usuń evil.com',
      'login.nothing': 'Nic',
      'login.title': 'Zaloguj się',
    });

    expect(faults).toEqual([
      expect.stringMatching(/^pl\.json, login\.delete: it has “evil\.com”/),
      expect.stringMatching(/^pl\.json, login\.nothing: English has no such text/),
    ]);
    expect(file.words).toEqual({ ...NEW.words, 'login.title': 'Zaloguj się' });
  });
});

describe('when English changes', () => {
  it('a new text comes in English, and one that is gone goes', () => {
    const source = changed({ 'login.new': 'Something new here' });
    const former = { ...POLISH, words: { ...POLISH.words, 'login.old': 'Stare' } };

    const { file, english, gone } = synced(former, source);

    expect({ english, gone }).toEqual({ english: ['login.new'], gone: ['login.old'] });
    expect(Object.keys(file.words)).toEqual(Object.keys(source.words));
    expect(faultsOf(file, source)).toEqual([]);
    expect(synced(file, source)).toEqual({ file, english: [], gone: [] });
  });

  it('a translation stays, and is stale', () => {
    const source = changed({ 'login.delete': 'Delete this account' });

    const { file } = synced(POLISH, source);

    expect(file).toEqual(POLISH);
    expect(openIn(file, source)).toEqual({ untranslated: [], stale: ['login.delete'] });
  });

  it('a translation without a value of the new text gives way to English', () => {
    const source = changed({ 'login.delete': 'Delete {email} for good' });

    const { file, english } = synced(POLISH, source);

    expect(english).toEqual(['login.delete']);
    expect(file.words['login.delete']).toBe('Delete {email} for good');
    expect(faultsOf(file, source)).toEqual([]);
  });

  it('a text that nobody has translated follows it', () => {
    const source = changed({ 'login.delete': 'Delete this account' });

    const { file } = synced(newTranslation('nl', ENGLISH), source);

    expect(file.words['login.delete']).toBe('Delete this account');
    expect(openIn(file, source).untranslated).toContain('login.delete');
  });

  it('a translation that was written by hand has the hash of today’s English', () => {
    const { file } = synced({ ...POLISH, of: without('login.delete', POLISH.of) }, ENGLISH);

    expect(file).toEqual({ ...POLISH, of: file.of });
    expect(file.of).toEqual(POLISH.of);
  });
});

describe('a folder of languages', () => {
  let languages: string;
  let built: string;

  beforeEach(async () => {
    languages = await mkdtemp(join(tmpdir(), 'languages-'));
    built = await mkdtemp(join(tmpdir(), 'built-'));
    await keep(ENGLISH);
    await keep(POLISH);
  });
  afterEach(async () => {
    await Promise.all([languages, built].map((folder) => rm(folder, { recursive: true })));
  });

  const keep = (file: SourceFile | TranslationFile) =>
    writeFile(join(languages, `${file.language}.json`), JSON.stringify(file));

  it('is built, and a language of one file more is said and listed', async () => {
    await keep(newTranslation('eo', ENGLISH));

    await writeWords(built, languages);

    expect(await builtLanguages(built)).toEqual([
      { tag: 'en', name: 'English', direction: 'ltr', state: 'reviewed' },
      { tag: 'eo', name: 'Esperanto', direction: 'ltr', state: 'machine' },
      { tag: 'pl', name: 'Polski', direction: 'ltr', state: 'machine' },
    ]);
    const polish = new Language(JSON.parse(await readFile(join(built, 'pl.json'), 'utf8')), {
      product: 'Acme',
      support: '',
    });
    const word = Object.keys(ENGLISH.words).indexOf('mail.codes.left');
    expect((polish.say as (word: number, given: object) => string).call(polish, word, { count: 3 })).toBe(
      'Pozostało: 3 kody.',
    );
  });

  it('is not built while a language has a fault', async () => {
    await keep(withText('mail.invitation.subject', 'Do evil.com'));

    await expect(writeWords(built, languages)).rejects.toThrow(
      /^pl\.json, mail\.invitation\.subject: it lacks/,
    );
    expect(await readdir(built)).toEqual([]);
  });

  it('leaves nothing of a language that is gone', async () => {
    await writeFile(join(built, 'tlh.json'), '{}');

    await writeWords(built, languages);

    expect((await readdir(built)).sort()).toEqual(['en.json', 'pl.json', 'source']);
  });

  it('compiles the texts of each volume in the order of English', async () => {
    await keep({ ...POLISH, words: Object.fromEntries(Object.entries(POLISH.words).reverse()) });

    const { keys, language } = await compileLanguage('pl', 'acts', languages);
    const pages = await compileLanguage('pl', 'pages', languages);

    expect([keys, language.texts]).toEqual([['act.login.succeeded'], ['Ktoś się zalogował']]);
    expect(pages.keys).toEqual(['login.title', 'login.sent', 'login.short', 'login.delete']);
    expect(pages.language.texts[0]).toBe('Zaloguj się');
  });

  it('names a file that is no JSON', async () => {
    await writeFile(join(languages, 'pl.json'), '{');

    await expect(writeWords(built, languages)).rejects.toThrow(/^pl\.json is no JSON/);
  });
});

describe('the languages of this version', () => {
  it('are listed, English first', async () => {
    const tags = await languageTags();

    const shipped = await shippedLanguages();

    expect(shipped.map(({ tag }) => tag)).toEqual(tags);
    expect(shipped[0]).toEqual({ tag: 'en', name: 'English', direction: 'ltr', state: 'reviewed' });
  });

  it('have no fault', async () => {
    for (const tag of await languageTags())
      for (const volume of ['service', 'pages', 'acts'] as const)
        expect((await compileLanguage(tag, volume)).faults).toEqual([]);
  });

  it('begin with the English of this version, in languages that count by one case and by six', async () => {
    const source = await readLanguageFile<SourceFile>('en');

    for (const tag of ['nl', 'ja', 'ar']) expect(faultsOf(newTranslation(tag, source), source)).toEqual([]);
  });
});
