import { canonicalLocale } from '../validation/locale.js';

/** Of a header that a stranger sends, so much is read. */
const MAX_CHARACTERS = 1_000;
const MAX_RANGES = 10;

/** A range of `Accept-Language`, perhaps with its weight (RFC 9110 §12.5.4). */
const RANGE = /^([a-z\d-]+|\*)(?:\s*;\s*q=([01](?:\.\d{0,3})?))?$/i;

/** The ranges of an `Accept-Language`, the most wanted first. What cannot be read is passed over. */
export function rangesOf(acceptLanguage: string | undefined): string[] {
  const asked = (acceptLanguage ?? '').slice(0, MAX_CHARACTERS).split(',').slice(0, MAX_RANGES);
  return asked
    .map((each) => RANGE.exec(each.trim()))
    .map((match) => ({ range: match?.[1] ?? '', weight: match ? Number(match[2] ?? 1) : 0 }))
    .filter(({ weight }) => weight > 0 && weight <= 1)
    .sort((one, other) => other.weight - one.weight)
    .map(({ range }) => range);
}

/**
 * The tag, of those that are served, which the first of some ranges matches (RFC 4647 §3.4), or null. A range matches a tag of its
 * language and script, said or likely: so `zh-TW` does not find `zh-Hans`, and `pt` finds `pt-BR`, which mere cutting would not.
 */
export function lookup(ranges: readonly string[], served: readonly string[]): string | null {
  for (const range of ranges) {
    const tag = range === '*' ? served[0] : match(range, served);
    if (tag !== undefined) return tag;
  }
  return null;
}

/** Of several that match, the one of the region that was asked for, else one without a region, else the first. */
function match(range: string, served: readonly string[]): string | undefined {
  const wanted = likely(range);
  if (wanted === null) return undefined;
  const alike = served.filter((tag) => {
    const { language, script } = servedLocale(tag);
    return language === wanted.language && script === wanted.script;
  });
  const { region } = new Intl.Locale(range);
  const ofRegion = alike.find((tag) => new Intl.Locale(tag).region === region);
  return ofRegion ?? alike.find((tag) => new Intl.Locale(tag).region === undefined) ?? alike[0];
}

const servedLocales = new Map<string, Intl.Locale>();

/** What a tag that is served is likely to mean. It is kept, because to find it out takes longer than all the rest. */
function servedLocale(tag: string): Intl.Locale {
  const locale = servedLocales.get(tag) ?? new Intl.Locale(tag).maximize();
  servedLocales.set(tag, locale);
  return locale;
}

function likely(range: string): Intl.Locale | null {
  const tag = canonicalLocale(range);
  return tag === null ? null : new Intl.Locale(tag).maximize();
}
