import { describe, expect, it } from '@jest/globals';
import { AUDIT_TYPES, FORMER_AUDIT_TYPES } from '../../src/audit/audit-types.js';
import { compile, compileLanguage } from '../../src/words/compile.js';
import { Language } from '../../src/words/language.js';
import type { Given, Word } from '../../src/words/page-words.js';
import { pseudo } from '../../src/words/pseudo.js';
import { pieces, type Slot } from '../../src/words/say.js';

const CONSTANTS = { product: 'Acme', support: 'help@example.com' };

const SOUND = {
  language: 'en',
  name: 'English',
  direction: 'ltr' as const,
  values: {
    product: 'constant' as const,
    org: 'person' as const,
    when: 'piece' as const,
    count: 'count' as const,
    at: 'moment' as const,
    role: ['member', 'admin'],
  },
  words: {} as Record<string, string | { text: string; note?: string; max?: number }>,
};

const faultsOf = (key: string, text: string, language = 'en') =>
  compile({ ...SOUND, language, words: { [key]: text } }).faults;

function said(text: string, given: Record<string, string | number | Date>, tag = 'en'): string {
  const { language, faults } = compile({ ...SOUND, language: tag, words: { 'mail.some.text': text } });
  expect(faults).toEqual([]);
  const speaker = new Language(language, CONSTANTS) as unknown as {
    say(word: number, given: object): string;
  };
  return speaker.say(0, given);
}

describe('the English catalogue', () => {
  it('has no fault', async () => {
    const { faults, keys } = await compileLanguage('en', 'service');

    expect(faults).toEqual([]);
    expect(keys.length).toBeGreaterThan(100);
  });
});

describe('a text', () => {
  it.each([
    ['You belong to {org}.', { org: 'Initech' }, 'You belong to Initech.'],
    ['Welcome to {product}.', {}, 'Welcome to Acme.'],
    ['{count, plural, =0 {none} one {# code} other {# codes}} left', { count: 0 }, 'none left'],
    ['{count, plural, =0 {none} one {# code} other {# codes}} left', { count: 1 }, '1 code left'],
    ['{count, plural, =0 {none} one {# code} other {# codes}} left', { count: 12_345 }, '12,345 codes left'],
    ['You are {role, select, member {a member} other {an admin}}.', { role: 'member' }, 'You are a member.'],
    ['You are {role, select, member {a member} other {an admin}}.', { role: 'admin' }, 'You are an admin.'],
    [
      'It was on {at, date, moment}.',
      { at: new Date('2026-11-21T13:30Z') },
      'It was on 21 November 2026 at 13:30 UTC.',
    ],
  ])('is said with its values: %s of %j', (text, given, expected) => {
    expect(said(text, given)).toBe(expected);
  });

  it('counts as its language does', () => {
    const text = '{count, plural, one {# kod} few {# kody} many {# kodów} other {# kodu}}';

    expect([1, 3, 5, 22].map((count) => said(text, { count }, 'pl'))).toEqual([
      '1 kod',
      '3 kody',
      '5 kodów',
      '22 kody',
    ]);
  });

  it.each(['{product}', '{count, plural, other {}}', '<b>', '#', "'{org}'", '$&'])(
    'never reads a value as a text: %s',
    (org) => {
      expect(said('You belong to {org}.', { org })).toBe(`You belong to ${org}.`);
    },
  );
});

describe('a text of a page', () => {
  const key = 'some.text';
  const formats = { direction: 'ltr' as const, number: String, moment: String, plural: () => 'other' };
  const inPieces = (text: string, given: object) => {
    const { language, faults } = compile({ ...SOUND, words: { [key]: text } });
    expect(faults).toEqual([]);
    return pieces(language.texts[0] ?? '', { ...given }, formats, (value) => ({ value }));
  };

  it('puts slots around its words, and pieces between them', () => {
    const strong: Slot<object> = (inner) => ({ strong: inner });

    expect(
      inPieces('You joined <strong>{org} at last</strong> {when}.', { strong, org: '<b>', when: 1 }),
    ).toEqual(['You joined ', { strong: [{ value: '<b>' }, ' at last'] }, ' ', { value: 1 }, '.']);
  });

  it('has its slots and pieces among what it takes', () => {
    const { given } = compile({ ...SOUND, words: { [key]: 'On {when} <link>{org}</link> closes' } });

    expect(given).toEqual([{ org: 'Person', when: 'Piece', link: 'Slot' }]);
  });

  it.each([
    ['a slot without an end', 'Go <link>there now', 'it is no ICU text'],
    ['an empty slot', 'Go <link></link> there now', 'the slot <link> is empty'],
  ])('is refused for %s', (_, text, fault) => {
    expect(faultsOf(key, text)).toEqual([expect.stringContaining(fault)]);
  });

  it('does not compile with a value missing, surplus or of another kind', () => {
    type Said = Given<never, never>;
    const email = 'ada@example.com';
    const right: Said[(typeof Word)['forgot.resent']] = { email };
    // @ts-expect-error It lacks its address.
    const missing: Said[(typeof Word)['forgot.resent']] = {};
    // @ts-expect-error It has a value that the text does not take.
    const surplus: Said[(typeof Word)['forgot.resent']] = { email, name: 'Ada' };
    // @ts-expect-error A number of codes is no text.
    const wrong: Said[(typeof Word)['factors.codes.left']] = { count: 'ten' };
    // @ts-expect-error A text with a slot is not said without markup.
    const plain: Said[(typeof Word)['forgot.sent']] = { email, strong: (inner: unknown) => inner };

    expect([right, missing, surplus, wrong, plain]).toHaveLength(5);
  });
});

describe('the acts of the audit log', () => {
  it('each have a text', async () => {
    const { keys, faults } = await compileLanguage('en', 'acts');
    const types = [...AUDIT_TYPES, ...FORMER_AUDIT_TYPES].map((type) => `act.${type}`);

    expect(faults).toEqual([]);
    expect(keys.sort()).toEqual(types.sort());
  });
});

describe('the pseudo-language', () => {
  it('puts accents on every word, brackets around each text, and is a third longer', () => {
    expect(pseudo('Log in')).toBe('[Ļöĝ îñ···]');
    expect(pseudo(['By ', ['org'], ' in ', ['link', 'slot', 'a day']])).toEqual([
      '[',
      'Ɓý ',
      ['org'],
      ' îñ ',
      ['link', 'slot', 'å ðåý'],
      '·····]',
    ]);
  });
});

describe('the build', () => {
  it.each([
    ['a straight apostrophe', "It's {org}", 'write ’ in place of a straight apostrophe'],
    ['a brace that does not end', 'To {org', 'it is no ICU text'],
    ['a value without a kind', 'To {group} now', '{group} has no kind'],
    ['a number where a name belongs', 'You have {count} now', '{count} is of the kind count'],
    ['a name where a number belongs', 'You have {org, number} now', '{org} is of the kind person'],
    ['a plural case too few', '{count, plural, other {# codes}}', 'lacks one'],
    [
      'a plural case too many',
      '{count, plural, one {#} few {#} other {#}}',
      'has few, which the language has not',
    ],
    ['a plural with an offset', '{count, plural, offset:1 one {#} other {#}}', 'no offset'],
    ['an order', '{count, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}', 'no order'],
    ['a name that is not one of its kind', '{role, select, owner {x} other {y}}', 'are not its names'],
    ['a date of another style', 'On {at, date, short} it was', 'has the style moment'],
    ['a time', 'At {at, time, short} it was', 'has a part that texts do not have'],
    [
      'cases three deep',
      '{role, select, member {{role, select, member {{role, select, member {a} other {b}}} other {b}}} other {b}}',
      'more than 2 deep',
    ],
    ['a line break', 'One line\nand another', 'has a line break'],
    ['a text of three kilobytes', 'long '.repeat(600).trim(), 'longer than 2048 bytes'],
  ])('refuses %s, and names the file and the key', (_, text, fault) => {
    const faults = faultsOf('mail.some.text', text);

    expect(faults).toEqual(expect.arrayContaining([expect.stringContaining(fault)]));
    expect(faults[0]).toMatch(/^en\.json, mail\.some\.text: /);
  });

  it('refuses markup in the text of a mail', () => {
    expect(faultsOf('mail.some.text', 'Go <link>there now</link>')).toEqual([
      expect.stringContaining('only texts of pages have slots'),
    ]);
  });

  it('refuses a subject that is too long, or has what a person typed', () => {
    expect(faultsOf('mail.some.subject', 'word '.repeat(13).trim())).toEqual([
      expect.stringContaining('60 columns'),
    ]);
    expect(faultsOf('mail.some.subject', '{org} invites you')).toEqual([expect.stringContaining('typed')]);
  });

  it('refuses one or two words without a note for their translators', () => {
    expect(faultsOf('login.title', 'Log in')).toEqual([expect.stringContaining('needs a note')]);
  });
});
