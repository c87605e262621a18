import { MOMENTS } from './locale.js';

/** A browser that knows no time zone says this. */
const UNKNOWN = 'Etc/Unknown';

/** The time zone of the browser, for a body that takes one; nothing where it knows none. */
export function timeZone(): { time_zone?: string } {
  const { timeZone: name } = MOMENTS.resolvedOptions();
  return name && name !== UNKNOWN ? { time_zone: name } : {};
}
