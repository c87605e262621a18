import type { Environment } from './environment.js';

/** Where the SPA's development and preview servers listen. */
const DEV_ORIGINS = ['localhost', '127.0.0.1'].flatMap((host) => [
  `http://${host}:5173`,
  `http://${host}:4173`,
]);

/** Whether the environment is one of `dev`, `beta` and `prod`. */
export function isKnownEnvironment({ environment }: Pick<Environment, 'environment'>): boolean {
  return ['dev', 'beta', 'prod'].includes(environment);
}

/** The origins whose pages may call this service with credentials; an unknown environment has none. */
export function allowedOrigins({ environment, corsOrigins, baseWebUrl }: Environment): ReadonlySet<string> {
  switch (environment) {
    case 'dev':
      return new Set([...DEV_ORIGINS, ...corsOrigins]);
    case 'beta':
    case 'prod':
      return new Set([corsOrigins[0] ?? new URL(baseWebUrl).origin]);
    default:
      return new Set();
  }
}
