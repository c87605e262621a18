import type { Environment } from '../config/environment.js';

const ONE_YEAR_SECONDS = 31_536_000;

/**
 * The headers of every response, whatever its status: an answer is data, which no cache keeps, no page embeds and no
 * browser takes for a document. A route that serves a document replaces the policy by its own.
 */
export function responseHeaders({ environment }: Environment): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    // Not `same-site`: CORS judges the requests of the SPA, and this header is only about what a page embeds.
    'cross-origin-resource-policy': 'same-origin',
    ...(environment !== 'dev' && {
      'strict-transport-security': `max-age=${ONE_YEAR_SECONDS}; includeSubDomains`,
    }),
  };
}
