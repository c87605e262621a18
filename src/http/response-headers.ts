import type { Environment } from '../config/environment.js';

const ONE_YEAR_SECONDS = 31_536_000;

/**
 * What every response carries, whatever its status: an answer is data, which no cache keeps, no page embeds and no
 * browser takes for a document. A route that serves one sets a policy of its own over this.
 */
export function responseHeaders({ environment }: Environment): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    // Not even `same-site`, for the SPA's sake: its requests are judged by CORS, and this is only for what is
    // embedded.
    'cross-origin-resource-policy': 'same-origin',
    ...(environment !== 'dev' && {
      'strict-transport-security': `max-age=${ONE_YEAR_SECONDS}; includeSubDomains`,
    }),
  };
}
