import type { Facts } from '../../facts.js';

/** What the service says of itself in the page. */
export const facts: Facts = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name="latchkey"]')?.content ?? '{}',
);

/** The address of the API, with a slash at its end: found from that of the script, so that port and path are right. */
export const apiUrl = new URL('../../', import.meta.url).href;
