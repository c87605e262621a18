import type { Facts } from '../../facts.js';

/** What the service says of itself in the page. */
export const facts: Facts = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name="latchkey"]')?.content ?? '',
);

/** The address of the API, with a slash at its end: found from that of the script, so that port and path are right. */
export const base = new URL('../../', import.meta.url);

/** The address of something of the service, such as `admin` or `ui/login`. */
export function addressOf(path: string): string {
  return new URL(path, base).href;
}
