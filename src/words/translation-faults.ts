import type { Kind } from './language-file.js';
import { casesOf, MAX_READINGS, type Reading, readingsOf, usesOf } from './readings.js';
import type { Text } from './say.js';

/**
 * What nobody sees, which can hide one word in another: all that Unicode says to draw as nothing, controls, and blanks of odd
 * widths. The joiners remain, which Persian and Hindi are spelled with, and the blanks that do not break a line.
 */
const UNSEEN =
  /(?![\u200c\u200d])[\p{Default_Ignorable_Code_Point}\p{C}\p{Zl}\p{Zp}\u2800]|(?![ \u00a0\u202f\u3000])\p{Zs}/u;

const JOINERS = /[\u200c\u200d]/g;

/** What stands for a value where a text is searched: a letter that is a word by itself. */
const VALUE = '名';

/** Where a mail client sees an address, of a page or a mailbox: a dot between letters, an @, or the beginning of a link. */
const ADDRESS =
  /[^\s()（）「」“”„«»]*(?:@|:\/\/|\bwww\b|\bmailto:|[\p{L}\p{M}\p{N}][.]\p{L}|[\p{L}\p{M}][.]\p{N}|[a-z\d][。｡][a-z\d])[^\s()（）「」“”„«»]*/giu;

/** Five digits or more, with what stands between those of a telephone number. */
const TELEPHONE = /\+?\p{N}(?:[\s().+/·‐‑–-]*\p{N}){4,}/gu;

const NUMBER = /\p{N}+/gu;

/** Numbers that English writes as words, by their values: other languages write some of them in digits. */
const NUMBER_WORDS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen'.split(
    ' ',
  );

/** Scripts in which words of several scripts stand side by side without a blank. */
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;
const SCRIPTS =
  'Latin Cyrillic Greek Armenian Georgian Hebrew Arabic Devanagari Bengali Tamil Telugu Thai Ethiopic'.split(
    ' ',
  );
const SCRIPT_TESTS = SCRIPTS.map((script) => [script, new RegExp(`\\p{Script=${script}}`, 'u')] as const);
/** Letters that belong to no script, such as the tatweel of Arabic. */
const SHARED = /[\p{Script=Common}\p{Script=Inherited}]/u;

/** The marks that begin and end a quotation somewhere: “a”, „a“, ”a”, «a», »a«, 「a」, 『a』, "a". */
const QUOTES = '“”„‟«»‹›「」『』"';

/** What is wrong with a translation beside the English text, a sentence each. */
export function translationFaults(english: Text, translation: Text, values: Record<string, Kind>): string[] {
  const surplus = valuesFaults(english, translation);
  // How a text with other values can be read says nothing.
  if (surplus.length > 0) return surplus;

  const source = readingsOf(english);
  const readings = readingsOf(translation);
  const known = source.map(({ text }) => plain(text)).join('\n');
  const isPlural = [...usesOf(translation).values()].some((as) => as.has('plural'));
  if (readings.length >= MAX_READINGS) return ['it has too many cases: write fewer plurals and selects'];
  const faults = [
    ...exactFaults(english, translation),
    ...readings.flatMap((reading) => placeFaults(reading, source)),
    ...(readings.some(({ text }) => text.trim() === '') && source.every(({ text }) => text.trim() !== '')
      ? ['it says nothing in one of its cases: write the whole text there']
      : []),
    ...readings.flatMap(({ text }) => quotationFaults(text, source, values)),
    ...readings.flatMap(({ text }) => strangeFaults(text, known, isPlural)),
  ];
  return [...new Set(faults)];
}

function valuesFaults(english: Text, translation: Text): string[] {
  const source = usesOf(english);
  const uses = usesOf(translation);
  return [
    ...[...source.keys()]
      .filter((name) => !uses.has(name))
      .map((name) => `it lacks {${name}}: say it as English does`),
    ...[...uses.keys()]
      .filter((name) => !source.has(name))
      .map(
        (name) => `it has {${name}}, which English has not: take it away, or write its name as English does`,
      ),
    ...[...uses]
      .filter(([name, as]) => {
        const expected = source.get(name);
        return expected !== undefined && !isUsedAlike(expected, as);
      })
      .map(
        ([name, as]) =>
          `it uses {${name}} as ${[...as].join(' and ')}, and English as ${[...(source.get(name) ?? [])].join(' and ')}: do as English does`,
      ),
  ];
}

/** A language may count where English has one form for all numbers, as in “at most 1 character”. */
function isUsedAlike(expected: Set<string>, as: Set<string>): boolean {
  const isCounted = as.has('plural') && !expected.has('plural') && expected.has('number');
  return (
    [...as].every((use) => expected.has(use) || (use === 'plural' && isCounted)) &&
    [...expected].every((use) => as.has(use) || (use === 'number' && isCounted))
  );
}

/** What English says for a number of its own, such as “none left”, would else be said as of any other number. */
function exactFaults(english: Text, translation: Text): string[] {
  const cases = casesOf(translation);
  return [...casesOf(english)].flatMap(([name, names]) =>
    [...names]
      .filter((each) => each.startsWith('=') && !cases.get(name)?.has(each))
      .map((each) => `the plural of {${name}} lacks the case ${each} of English: say it there`),
  );
}

/** What is missing or surplus in one way to read it, beside the same case of English. */
function placeFaults({ choice, uses, slots }: Reading, source: Reading[]): string[] {
  const same = source.filter((each) => each.choice === choice);
  // Other cases than those of English are a fault of their own.
  if (same.length === 0) return [];
  const where = choice === '' ? '' : ` where ${choice}`;
  const ever = new Set(same.flatMap((each) => [...each.uses]));
  const always = [...ever].filter((name) => same.every((each) => each.uses.has(name)));
  const isAsEnglish = same.some((each) => each.slots.join() === slots.join());
  return [
    ...always
      .filter((name) => !uses.has(name))
      .map((name) => `it lacks {${name}}${where}, or in one of its cases: say it in each`),
    ...[...uses]
      .filter((name) => !ever.has(name))
      .map((name) => `it has {${name}}${where}, and English has not: take it away there`),
    ...(isAsEnglish
      ? []
      : [
          `it has ${listOfSlots(slots)}${where}, and English has ${listOfSlots(same[0]?.slots ?? [])}: keep each slot, and none within another unless English does so`,
        ]),
  ];
}

function listOfSlots(slots: string[]): string {
  return slots.length === 0 ? 'no slot' : slots.map((slot) => `<${slot.replaceAll(' ', '><')}>`).join(', ');
}

/** A name that a person typed, and that English quotes, could be read as words of ours without its quotation marks. */
function quotationFaults(text: string, source: Reading[], values: Record<string, Kind>): string[] {
  const persons = Object.keys(values).filter((name) => values[name] === 'person');
  const isQuoted = (name: string, said: string) => !said.replaceAll(quoted(name), '').includes(`{${name}}`);
  return persons
    .filter((name) => source.every((each) => isQuoted(name, each.text)))
    .filter((name) => !isQuoted(name, text))
    .map((name) => `{${name}} stands without quotation marks: put those of the language around it`);
}

function quoted(name: string): RegExp {
  return new RegExp(`[${QUOTES}][\\u00a0\\u202f]?\\{${name}\\}[\\u00a0\\u202f]?[${QUOTES}]`, 'g');
}

/** What a reader could follow, call or mistake, and English has not. */
function strangeFaults(raw: string, english: string, isPlural: boolean): string[] {
  const unseen = UNSEEN.exec(raw)?.[0];
  const text = plain(raw);
  return [
    ...(unseen === undefined ? [] : [`it has the invisible character ${codePoint(unseen)}: take it away`]),
    ...addresses(text, english).map(
      (found) =>
        `it has “${found}”, which looks like a link or an address: take it away, or put a blank behind the dot`,
    ),
    ...foreign(TELEPHONE, text, english).map(
      (found) => `it has “${found}”, which looks like a telephone number: take it away`,
    ),
    ...foreign(NUMBER, text, english)
      .filter((number) => !isWritten(number, english) && !(isPlural && number.length === 1))
      .map(
        (found) => `it has the number ${found}, which English has not: take it away, or write it in words`,
      ),
    ...mixedWords(text).map(
      ([word, scripts]) =>
        `“${word}” has letters of ${scripts.join(' and ')}: write it in one script, or put a blank or a hyphen between them`,
    ),
  ];
}

/** A text as it is read: with the plain form of each letter, without joiners, and with a letter for each value. */
function plain(text: string): string {
  const read = text
    .replace(/\{\w+\}/g, VALUE)
    .replace(JOINERS, '')
    .normalize('NFKC');
  return read.replace(/\p{Nd}/gu, digit);
}

/** A digit of any script, as a digit. Unicode has those of a script in a row, from zero. */
function digit(letter: string): string {
  const point = letter.codePointAt(0) ?? 0;
  let zero = point;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((point - zero) % 10);
}

/** The addresses of a text that stand nowhere in English. */
function addresses(text: string, english: string): string[] {
  const known = (english.match(ADDRESS) ?? []).map((each) => each.replace(/[.,;:!?]+$/, ''));
  return known.reduce((rest, each) => rest.replaceAll(each, ' '), text).match(ADDRESS) ?? [];
}

/** What a pattern finds in a text and not in English. */
function foreign(pattern: RegExp, text: string, english: string): string[] {
  const known: string[] = english.match(pattern) ?? [];
  return (text.match(pattern) ?? []).filter((found) => !known.includes(found));
}

/** Whether English writes a number in words, as in “six digits”. */
function isWritten(number: string, english: string): boolean {
  const word = NUMBER_WORDS[Number(number)];
  return word !== undefined && new RegExp(`\\b${word}\\b`, 'i').test(english);
}

/** Words in which a letter of another script can pass for one of their own. */
function mixedWords(text: string): [word: string, scripts: string[]][] {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  return words
    .flatMap((word) => word.split(WITHOUT_BLANKS))
    .map((word): [string, string[]] => [word, [...new Set([...word].flatMap(scriptOf))]])
    .filter(([, scripts]) => scripts.length > 1);
}

function scriptOf(letter: string): string[] {
  if (SHARED.test(letter)) return [];
  return [SCRIPT_TESTS.find(([, test]) => test.test(letter))?.[0] ?? 'another script'];
}

function codePoint(letter: string): string {
  return `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
