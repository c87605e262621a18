import type { Environment } from '../config/environment.js';
import type { OwnStyle } from './own-style.js';

/**
 * The headers of a page, over those of every answer. The only other origin in a page is that of the product's logo. One of them
 * frames what the service itself serves.
 */
export function pageHeaders(
  { productLogoUrl }: Environment,
  style: Pick<OwnStyle, 'hasFonts'> | null,
  { isFraming = false } = {},
): Record<string, string> {
  const logo = productLogoUrl === undefined ? [] : [new URL(productLogoUrl).origin];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      ['img-src', "'self'", 'data:', ...logo].join(' '),
      ...(style?.hasFonts ? ["font-src 'self'"] : []),
      "connect-src 'self'",
      ...(isFraming ? ["frame-src 'self'"] : []),
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
    // By the cookie of the language, and only where the address asks for none.
    vary: 'origin, accept-language, cookie',
  };
}
