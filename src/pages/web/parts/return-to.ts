import { addressOf, base, facts, inThisLanguage } from './facts.js';

const WAY_BACK = 'way back';

const PAGES = /^(ui\/|admin(\/|$))/;

/**
 * Where the user goes after a login. An attacker can write a link to these pages, so it is a page of the service, or an
 * address of the product's own application; anything else counts as absent.
 */
export function returnAddress(): string {
  return allowed(returnTo() ?? '') ?? facts.homeUrl ?? addressOf('ui/account');
}

/**
 * Where the link that led to the account's pages wants the user to come back to; null where it named nothing, or what an
 * attacker may have chosen. It stays with the tab as it was named, as the way may lead on to other pages, and to Stripe's.
 */
export function wayBack(): string | null {
  const named = returnTo() ?? '';
  if (allowed(named) !== null) sessionStorage.setItem(WAY_BACK, named);
  return allowed(sessionStorage.getItem(WAY_BACK) ?? '');
}

/** Called at a logout: the next user of this tab came from somewhere else. */
export function forgetWayBack(): void {
  sessionStorage.removeItem(WAY_BACK);
}

/** The query that takes `return_to` along to another page: empty, or with its question mark. */
export function keepReturnTo(kept = returnTo()): string {
  return kept !== null && allowed(kept) ? queryFor(kept) : '';
}

/** The query that leads back to this page. */
export function returnHere(): string {
  return queryFor(location.pathname.slice(base.pathname.length - 1) + location.search);
}

/** Where a user sets up a second factor, and from where they come back to this page. */
export const setUpAddress = () => addressOf(`ui/security${returnHere()}#second-step-at-login`);

function returnTo(): string | null {
  return new URLSearchParams(location.search).get('return_to');
}

function queryFor(address: string): string {
  return `?${new URLSearchParams({ return_to: address })}`;
}

/** A page of the service, or an address of the product's own application; null for one that an attacker may have chosen. */
export function allowed(address: string): string | null {
  if (address.startsWith('/')) return pageOfService(address);
  if (!URL.canParse(address)) return null;

  const { origin, protocol, href } = new URL(address);
  // A blob: has the origin of the page that made it.
  return /^https?:$/.test(protocol) && facts.origins.includes(origin) ? href : null;
}

/**
 * Returns null for a path that is none of the pages. It has to be below the address of the service;
 * `//elsewhere.example` and `/\elsewhere.example` are other sites.
 */
export function pageOfService(path: string): string | null {
  const address = `${base.pathname}${path.slice(1)}`;
  if (!URL.canParse(address, base)) return null;

  const page = new URL(address, base);
  const isBelow = page.origin === base.origin && page.pathname.startsWith(base.pathname);
  const isPage = isBelow && PAGES.test(page.pathname.slice(base.pathname.length));
  return isPage ? inThisLanguage(page).href : null;
}
