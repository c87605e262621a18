import { loadAgain } from '../parts/load-again.js';
import { loadActs } from '../parts/say.js';

let words: Record<string, string> | undefined;

let loading: Promise<unknown> | undefined;

/** Fetches what the acts are called, once a page, beside events that a screen shows. Without them the page loads again. */
export async function withActWords<T>(events: Promise<T>): Promise<T> {
  loading ??= loadActs().then((acts) => {
    words = acts;
  }, startAgain);
  const [loaded] = await Promise.all([events, loading]);
  return loaded;
}

/**
 * What an audit event records. A type that these pages do not know yet is shown as it is; before the words have come, all of
 * them are blank.
 */
export function actInWords(type: string): string {
  return words ? (words[type] ?? type) : '';
}

/** The types of the acts that have words, once these have come. */
export function knownActs(): string[] | undefined {
  return words && Object.keys(words);
}

function startAgain(): Promise<never> {
  loadAgain();
  return new Promise(() => {});
}
