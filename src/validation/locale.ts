const MAX_LENGTH = 35;

/**
 * The canonical form of a BCP 47 tag, without extensions and private parts: `de-CH` of `DE-ch-u-ca-buddhist`. Returns null for what
 * is none, and for one longer than BCP 47 §4.4.1 asks anybody to keep.
 */
export function canonicalLocale(tag: string): string | null {
  if (tag.length > MAX_LENGTH) return null;
  try {
    const { baseName } = new Intl.Locale(tag);
    // Undetermined: nobody speaks it.
    return /^und\b/.test(baseName) ? null : baseName;
  } catch {
    return null;
  }
}

export function isCanonicalLocale(tag: string): boolean {
  return canonicalLocale(tag) === tag;
}

/** Whether it is a time zone of the IANA database, such as `Europe/Zurich`. An offset such as `+02:00` is none. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
