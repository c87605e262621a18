import type { Environment } from './environment.js';
import { isKnownEnvironment } from './origins.js';

/** Whether the service serves its own pages: as `SVC_PAGES` says, by default in `dev`, `beta` and `prod`. */
export function arePagesOn(environment: Environment): boolean {
  return environment.pages === undefined ? isKnownEnvironment(environment) : environment.pages === 'on';
}

/** The address below which the account's pages are. */
function pagesUrl({ baseApiUrl }: Pick<Environment, 'baseApiUrl'>): string {
  return `${baseApiUrl}/ui`;
}

/** Whether mails, identity providers and Stripe lead to the service's own pages, not to a single-page application. */
export function leadsToPages(environment: Pick<Environment, 'baseApiUrl' | 'baseWebUrl'>): boolean {
  return environment.baseWebUrl === pagesUrl(environment);
}
