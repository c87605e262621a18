/** The fewest characters that the index has together. */
const GRAM = 3;

/** The hexadecimal digits of an id. */
const ID_DIGITS = 32;

/**
 * SQL for the text of a row in which a search looks, as its index has it: in small letters, and with two blanks before
 * each word, so that a search for one or two letters finds the words that begin with them.
 */
export function searchedSql(text: string): string {
  return `lower('  ' || replace(${text}, ' ', '  '))`;
}

/** SQL for whether a text of `searchedSql` has what `needleOf` gives. Nothing in that is a pattern. */
export function hasSql(searched: string, needle: string): string {
  return `strpos(${searched}, lower(${needle})) > 0`;
}

/** The same by the index, which names the rows that have each three characters of it. */
export function hasByIndexSql(searched: string, needle: string): string {
  return `trigrams_of(${searched}) @> trigrams_of(lower(${needle})) AND ${hasSql(searched, needle)}`;
}

/** The text of a user `u`. Here, because the audit log is searched by the people whom its events name. */
export const SEARCHED_OF_USER = searchedSql(`u.email || ' ' || coalesce(u.name, '')`);

/** What to look for in a text of `searchedSql`. */
export function needleOf(search: string): string {
  const needle = search.trim().replace(/\s+/g, '  ');
  return ' '.repeat(Math.max(0, GRAM - [...needle].length)) + needle;
}

/** The lowest and the highest id that begins like a text, which has eight digits at least; null for another text. */
export function idsLike(search: string): [lowest: string, highest: string] | null {
  const text = search.trim().toLowerCase();
  const digits = text.replaceAll('-', '');
  if (!/^[\da-f]{8}(-?[\da-f]*)*$/.test(text) || digits.length > ID_DIGITS) return null;
  return [digits.padEnd(ID_DIGITS, '0'), digits.padEnd(ID_DIGITS, 'f')];
}
