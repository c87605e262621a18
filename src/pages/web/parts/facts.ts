import type { Facts } from '../../facts.js';

/** What the service says of itself in the page. */
export const facts: Facts = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name="latchkey"]')?.content ?? '',
);

/** The address of the API, with a slash at its end: found from that of the script, so that port and path are right. */
export const base = new URL('../../', import.meta.url);

const isLanguageAsked = new URLSearchParams(location.search).has('ui_locales');

/** The address of something of the service, such as `admin` or `ui/login`. A language that the link to this page asks for goes along. */
export function addressOf(path: string): string {
  return inThisLanguage(new URL(path, base)).href;
}

/** Where the application shows an organization; null where it shows none of its own. */
export function addressOfOrg(id: string): string | null {
  return facts.orgUrl?.replace('{org}', id) ?? null;
}

/** An address that asks for a language only if that of this page does, and then for the same. */
export function inThisLanguage(address: URL): URL {
  if (isLanguageAsked) address.searchParams.set('ui_locales', document.documentElement.lang);
  else if (address.searchParams.has('ui_locales')) address.searchParams.delete('ui_locales');
  return address;
}
