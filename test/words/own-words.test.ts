import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { ANYBODY, Languages, wordFindings } from '../../src/words/languages.js';
import { OwnWords } from '../../src/words/own-words.js';
import { Word } from '../../src/words/words.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-words-'));
  await mkdir(join(folder, 'words'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (file: string, content: unknown) =>
  writeFile(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));

const words = (texts: Record<string, unknown>, more: object = {}) => ({ words: texts, ...more });

const read = (environment = 'prod') => OwnWords.read({ environment, messagesDir: folder });

/** What the start is refused with. */
async function refusal(environment?: string): Promise<string> {
  return read(environment).then(
    () => 'it starts',
    (error: Error) => error.message,
  );
}

const environmentWith = (variables: Record<string, string>) =>
  parseEnvironment({
    SVC_ENVIRONMENT: 'dev',
    SVC_PRODUCT_NAME: 'Acme',
    SVC_MESSAGES_DIR: folder,
    ...variables,
  });

describe('a text of a product', () => {
  it('is said in place of ours, with its values', async () => {
    await write(
      'words/en.json',
      words({ 'mail.verification.subject': 'Welcome to {product}! One click left' }),
    );
    const languages = await Languages.read(environmentWith({ SVC_LOCALES: 'en' }), await read());

    expect(languages.for(ANYBODY).say(Word['mail.verification.subject'])).toBe(
      'Welcome to Acme! One click left',
    );
    expect(languages.for(ANYBODY).say(Word['mail.action.accept'])).toBe('Accept the invitation');
  });

  it('goes before one that the product has in its process', async () => {
    const texts = { 'mail.action.accept': 'Join in', 'mail.action.logIn': 'Come in' } as const;
    await write('words/en.json', words({ 'mail.action.accept': 'Join us' }));
    const own = await OwnWords.read({ environment: 'prod', messagesDir: folder }, { en: texts });
    const language = (await Languages.read(environmentWith({ SVC_LOCALES: 'en' }), own)).for(ANYBODY);

    expect(language.say(Word['mail.action.accept'])).toBe('Join us');
    expect(language.say(Word['mail.action.logIn'])).toBe('Come in');
  });

  it('can be of a language that we do not ship, whose other texts are ours', async () => {
    const nl = { name: 'Nederlands', direction: 'ltr' };
    await write('words/nl.json', words({ 'mail.action.accept': 'Uitnodiging aannemen' }, nl));
    const languages = await Languages.read(environmentWith({ SVC_LOCALES: 'en,nl' }), await read());
    const language = languages.for({ locale: 'nl-BE' });

    expect([language.tag, language.direction]).toEqual(['nl', 'ltr']);
    expect(language.say(Word['mail.action.accept'])).toBe('Uitnodiging aannemen');
    expect(language.say(Word['mail.action.logIn'])).toBe('Log in');
    expect(await wordFindings(environmentWith({ SVC_LOCALES: 'en,nl' }), await read())).toMatchObject([
      { code: 'MESSAGES_MISSING', text: expect.stringMatching(/words\/nl\.json lacks \d+ texts/) },
    ]);
  });

  it('of a language of its own go over those of the shipped language that it stands on', async () => {
    const at = { name: 'Österreichisches Deutsch', direction: 'ltr' };
    await write(
      'words/de.json',
      words({ 'mail.action.accept': 'Dabei sein', 'mail.action.logIn': 'Hinein' }),
    );
    await write('words/de-AT.json', words({ 'mail.action.accept': 'Servus' }, at));
    const languages = await Languages.read(environmentWith({ SVC_LOCALES: 'en,de-AT' }), await read());
    const language = languages.for({ locale: 'de-AT' });

    expect(language.say(Word['mail.action.accept'])).toBe('Servus');
    expect(language.say(Word['mail.action.logIn'])).toBe('Hinein');
    expect(language.say(Word['shell.missing.title'])).toBe('Seite nicht gefunden');
  });

  it('of a key that this version does not have is only warned of, with the nearest one', async () => {
    await write('words/en.json', words({ 'mail.action.acept': 'Join us', 'gone.since.long': 'Gone' }));

    expect((await read()).warnings).toMatchObject([
      {
        code: 'MESSAGE_UNKNOWN',
        text: expect.stringContaining('mail.action.acept'),
        fix: 'Did you mean mail.action.accept?',
      },
      { code: 'MESSAGE_UNKNOWN', text: expect.stringContaining('gone.since.long') },
    ]);
  });
});

describe('the start is refused for', () => {
  it.each([
    ['a value that the text does not have', { 'mail.action.accept': 'Join {org}' }, /\{org\}/],
    ['a value that is lost', { 'mail.invitation.invites': 'Come and join us' }, /lacks \{org\}/],
    ['a value used in another way', { 'mail.invitation.footnote': 'Until {until}.' }, /until/],
    ['an unknown value', { 'mail.action.accept': 'Join {orgname}' }, /orgname/],
    [
      'a link',
      { 'mail.invitation.from': '{person} invites you at https://evil.example' },
      /looks like a link/,
    ],
    ['a domain', { 'mail.invitation.from': '{person} invites you at evil.example' }, /looks like a link/],
    ['a telephone number', { 'mail.notYou': 'Call +41 44 123 45 67 now.' }, /number/],
    ['a subject that is too long', { 'mail.verification.subject': 'word '.repeat(20).trim() }, /60 columns/],
    ['a line break', { 'mail.verification.subject': 'One\nTwo' }, /line break/],
    ['a carriage return', { 'mail.verification.subject': 'One\r\nBcc: all' }, /line break/],
    ['an apostrophe before a brace', { 'mail.invitation.from': "l'{person}" }, /apostrophe/],
    [
      'a button that is too long',
      { 'mail.action.accept': 'Accept this very long invitation now' },
      /24 columns/,
    ],
    ['an open brace', { 'mail.action.accept': 'Join {' }, /no ICU text/],
    ['markup', { 'mail.action.accept': '<a>Join</a>' }, /slot|<a>/],
    ['a plural without its cases', { 'mail.list.rest': '{count, plural, other {#}} more' }, /lacks one/],
    ['a text that is none', { 'mail.action.accept': 7 }, /no text/],
    ['an invisible character', { 'mail.action.accept': 'Join\u202e us' }, /invisible/],
    [
      'a name without quotation marks',
      {
        'mail.invitation.invites':
          '{org} invites you as {role, select, readonly {a} member {b} org_admin {c} other {d}} at {product}',
      },
      /quotation/,
    ],
    ['a text of 3 KiB', { 'mail.notYou': 'a '.repeat(1500).trim() }, /longer than/],
  ])('%s, with file, key and fix', async (_, texts, fault) => {
    await write('words/en.json', words(texts));
    const message = await refusal();

    expect(message).toMatch(fault);
    expect(message).toContain(`words/en.json, ${Object.keys(texts)[0]}`);
    expect(message).toContain('MESSAGE_FAULTY');
  });

  it.each([
    ['a file that is no JSON', 'words/en.json', '{ "words": '],
    ['a file without words', 'words/en.json', '{}'],
    ['a file of 300 KiB', 'words/en.json', JSON.stringify(words({ x: 'a'.repeat(300_000) }))],
    ['a name that is no tag', 'words/english_us.json', JSON.stringify(words({}))],
    ['a tag in another form', 'words/PT-br.json', JSON.stringify(words({}))],
    ['a language of its own without a name', 'words/nl.json', JSON.stringify(words({}))],
  ])('%s', async (_, file, content) => {
    await write(file, content);

    expect(await refusal()).toContain(file);
  });

  it('21 languages', async () => {
    const head = { name: 'x', direction: 'ltr' };
    for (let n = 0; n < 21; n++) await write(`words/qa${String.fromCharCode(97 + n)}.json`, words({}, head));

    expect(await refusal()).toContain('more than 20 files');
  });

  it('everything at once, so that it can be mended at once', async () => {
    await write('words/en.json', words({ 'mail.action.accept': 'Join {', 'mail.action.logIn': 7 }));
    await write('words/nl.json', words({}));
    const message = await refusal();

    for (const part of ['mail.action.accept', 'mail.action.logIn', 'words/nl.json'])
      expect(message).toContain(part);
  });
});

describe('a folder that is not there', () => {
  it.each(['prod', 'dev'] as const)('stops a start in %s', async (environment) => {
    const reading = OwnWords.read({ environment, messagesDir: `${folder}-gone` });

    await expect(reading).rejects.toThrow(
      /MESSAGE_FAULTY: SVC_MESSAGES_DIR names .*-gone, which cannot be read/,
    );
  });
});

describe('a folder that others can write', () => {
  it.each([
    ['itself', (path: string) => chmod(path, 0o777)],
    ['in a file', async (path: string) => chmod(join(path, 'words/en.json'), 0o666)],
    ['by a link that leads out of it', (path: string) => symlink('/etc', join(path, 'words/etc'))],
  ])('%s stops a deployment, and not dev', async (_, open) => {
    await write('words/en.json', words({}));
    await open(folder);

    expect(await refusal()).toContain('MESSAGES_WRITABLE');
    expect(await refusal('dev')).toBe('it starts');
  });
});

describe('a folder of links', () => {
  it('starts where each leads to a folder beside it, as volumes of Kubernetes do', async () => {
    await rm(join(folder, 'words'), { recursive: true });
    await mkdir(join(folder, '..2026_11_26/words'), { recursive: true });
    await write('..2026_11_26/words/en.json', words({}));
    await symlink('..2026_11_26', join(folder, '..data'));
    await symlink('..data/words', join(folder, 'words'));

    expect(await refusal()).toBe('it starts');
  });

  it('is judged by where it is, when SVC_MESSAGES_DIR is a link itself', async () => {
    await chmod(folder, 0o777);
    const link = `${folder}-link`;
    await symlink(folder, link);
    const reading = OwnWords.read({ environment: 'prod', messagesDir: link });

    await expect(reading).rejects.toThrow('MESSAGES_WRITABLE');
    await rm(link);
  });
});

describe('the name of a language that is not shipped', () => {
  it.each([
    ['longer than its place', 'x'.repeat(33), /longer than 32 columns/],
    ['no text', { de: 'x' }, /"name" is missing/],
    ['with a link in it', 'www.evil.example', /looks like a link/],
    ['with an invisible character', 'Neder\u202elands', /invisible character/],
  ])('%s stops a start', async (_, name, fault) => {
    await write('words/nl.json', words({}, { name, direction: 'ltr' }));

    expect(await refusal()).toMatch(fault);
  });
});

it('a key of any length is looked for without delay', async () => {
  await write('words/en.json', words({ ['k'.repeat(200_000)]: 'x' }));
  const start = performance.now();
  const { warnings } = await read();

  expect(warnings).toMatchObject([{ code: 'MESSAGE_UNKNOWN' }]);
  expect(performance.now() - start).toBeLessThan(20_000);
});

describe('SVC_LOCALES', () => {
  it('refuses a language of which there are no words, and names those that there are', async () => {
    const reading = Languages.read(environmentWith({ SVC_LOCALES: 'en,tlh' }), OwnWords.NONE);

    await expect(reading).rejects.toThrow(/LANGUAGE_UNKNOWN: SVC_LOCALES names tlh, .* en/);
  });

  it('serves no pseudo-language outside of dev', async () => {
    const environment = { ...environmentWith({ SVC_LOCALES: 'en,en-XA' }), environment: 'prod' };

    await expect(Languages.read(environment, OwnWords.NONE)).rejects.toThrow(/names en-XA/);
  });
});
