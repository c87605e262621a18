/** Seconds until the time of a Retry-After, which is a number of them or a date (RFC 9110 §10.2.3). */
export function retryAfterSeconds(field: string | null | undefined): number | undefined {
  if (!field) return undefined;
  const seconds = /^\d+$/.test(field) ? Number(field) : Math.ceil((Date.parse(field) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0);
}
