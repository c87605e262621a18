import type { Actor } from '../http/caller.js';
import type { Languages } from '../words/languages.js';
import { lookup } from '../words/lookup.js';

/** The languages of Stripe's pages (https://docs.stripe.com/js/appendix/supported_locales). */
const STRIPE_LOCALES = [
  ...[
    'bg',
    'cs',
    'da',
    'de',
    'el',
    'en',
    'en-GB',
    'es',
    'es-419',
    'et',
    'fi',
    'fil',
    'fr',
    'fr-CA',
    'hr',
    'hu',
    'id',
  ],
  ...[
    'it',
    'ja',
    'ko',
    'lt',
    'lv',
    'ms',
    'mt',
    'nb',
    'nl',
    'pl',
    'pt',
    'pt-BR',
    'ro',
    'ru',
    'sk',
    'sl',
    'sv',
    'th',
  ],
  ...['tr', 'vi', 'zh', 'zh-HK', 'zh-TW'],
];

/** The tag that a caller wants most, if the service speaks its language. Any other one Stripe finds in the browser itself. */
export function wantedLocale({ languages: ranges }: Actor, languages: Languages): string | null {
  return languages.keep(ranges.slice(0, 1));
}

/** The language of Stripe's pages for a tag, by the browser where there is none, or where Stripe does not speak it. */
export function stripeLocale(tag: string | null): string {
  return (tag && lookup([tag], STRIPE_LOCALES)) ?? 'auto';
}
