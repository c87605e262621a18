import type { Environment } from '../config/environment.js';

/** The headers of a page, over those of every answer. The only other origin in a page is that of the product's logo. */
export function pageHeaders({ productLogoUrl }: Environment): Record<string, string> {
  const logo = productLogoUrl === undefined ? [] : [new URL(productLogoUrl).origin];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      ['img-src', "'self'", 'data:', ...logo].join(' '),
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy':
      'publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), microphone=(), geolocation=()',
    // Nothing personal is in it, and with no-store the browser could not keep it for its back button.
    'cache-control': 'no-cache',
  };
}
