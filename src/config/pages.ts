import type { Environment } from './environment.js';
import { isKnownEnvironment } from './origins.js';

interface PagesSettings {
  environment: string;
  pages?: 'on' | 'off' | undefined;
}

const TWINS: Record<string, string> = { localhost: '127.0.0.1', '127.0.0.1': 'localhost' };

/** Whether the service serves its own pages: as `SVC_PAGES` says, by default in `dev`, `beta` and `prod`. */
export function arePagesOn({ environment, pages }: PagesSettings): boolean {
  return pages === undefined ? isKnownEnvironment({ environment }) : pages === 'on';
}

/**
 * The origin of the service while it has pages, which call it as those of an allowed origin do. In `dev` a page may be
 * open under either name of this machine.
 */
export function pageOrigins(environment: Environment): string[] {
  if (!arePagesOn(environment)) return [];
  const { origin, hostname } = new URL(environment.baseApiUrl);
  const twin = environment.environment === 'dev' ? TWINS[hostname] : undefined;
  return twin === undefined ? [origin] : [origin, origin.replace(hostname, twin)];
}

/** The address below which the account's pages are. */
export function pagesUrl({ baseApiUrl }: Pick<Environment, 'baseApiUrl'>): string {
  return `${baseApiUrl}/ui`;
}

/** Whether mails, identity providers and Stripe lead to the service's own pages, not to a single-page application. */
export function leadsToPages(environment: Pick<Environment, 'baseApiUrl' | 'baseWebUrl'>): boolean {
  return new URL(environment.baseWebUrl).href === new URL(pagesUrl(environment)).href;
}
