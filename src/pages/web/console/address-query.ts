/** Rows on one page of a list. */
const PAGE_SIZE = 50;

const CURSOR = /cursor$/;

/** What of the address belongs to the document, and to none of its lists. */
export const OF_DOCUMENT = ['id', 'ui_locales'];

/** A document with one list. */
export const NO_OTHERS: string[] = [];

/**
 * What the address asks for, by the name of its query; absent where it is empty. The service refuses what a person typed
 * there that is not of the type.
 */
export function asked<T = string>(name: string): T | undefined {
  return (new URLSearchParams(location.search).get(name) || undefined) as T | undefined;
}

/** The id of the one thing that the address asks for. Dots would make another path of it. */
export function askedId(): string | undefined {
  return asked('id')?.replace(/^\.+$/, '-');
}

/** The page of a list that the address asks for. A document with several lists has a cursor for each. */
export function askedPage(cursor = 'cursor') {
  return { limit: PAGE_SIZE, cursor: asked(cursor) };
}

/** Whether the address has a filter of a list; those of the other lists of the document are named. */
export function isFiltered(others: string[]): boolean {
  return [...new URLSearchParams(location.search)].some(
    ([name, value]) =>
      value !== '' && !OF_DOCUMENT.includes(name) && !others.includes(name) && !CURSOR.test(name),
  );
}

/** The order of a list: newest first, or another one, which its filter tells. */
export function askedOrder(): 'newest' | 'chosen' {
  return asked('sort') === undefined ? 'newest' : 'chosen';
}

/** This address without the filters and cursors of a list. */
export function clearedAddress(others: string[]): string {
  const kept = [...new URLSearchParams(location.search)].filter(
    ([name]) => OF_DOCUMENT.includes(name) || others.includes(name),
  );
  return kept.length === 0 ? location.pathname : `${location.pathname}?${new URLSearchParams(kept)}`;
}

/** This address at another page of a list; null is the newest. */
export function addressWith(cursor: string, value: string | null): string {
  const query = new URLSearchParams(location.search);
  if (value === null) query.delete(cursor);
  else query.set(cursor, value);
  return `${location.pathname}?${query}`;
}
