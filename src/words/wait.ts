const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;

/** From here on a wait is said in hours. */
const LONG_S = 90 * MINUTE_S;

/** How long to wait, as texts say it. */
export function waitOf(seconds: number): { unit: 'moment' | 'minute' | 'hour'; count: number } {
  if (seconds < MINUTE_S) return { unit: 'moment', count: 0 };
  if (seconds < LONG_S) return { unit: 'minute', count: Math.ceil(seconds / MINUTE_S) };
  return { unit: 'hour', count: Math.ceil(seconds / HOUR_S) };
}
