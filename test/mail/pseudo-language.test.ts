import { describe, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { Links } from '../../src/mail/links.js';
import { MAIL_KINDS } from '../../src/mail/mail-kinds.js';
import { Messages } from '../../src/mail/messages.js';
import { SAMPLE_ADDRESS, sampleOf } from '../../src/mail/samples.js';
import { compileLanguage } from '../../src/words/compile.js';
import { languageOf } from '../../src/words/languages.js';
import { inPseudo } from '../../src/words/pseudo.js';
import { Page } from './page.js';

/** What is in no language: the product, a browser and a system; and a language, as the platform calls it. */
const NAMES = ['Analytical', 'Firefox', 'Windows', 'German'];

/** The platform writes moments, and knows no pseudo-language. */
const MOMENT = /November \d+, 2026 at [\d:]+\s[AP]M UTC/g;

const environment = parseEnvironment({
  SVC_ENVIRONMENT: 'dev',
  SVC_BASE_WEB_URL: 'https://app.example.com',
  SVC_PRODUCT_NAME: 'Analytical',
  SVC_SUPPORT_EMAIL: 'help@example.com',
});
const { language: english } = await compileLanguage('en', 'service');
const language = languageOf(inPseudo(english, 'en-XA'), environment);
const messages = new Messages(environment, new Links(environment), language);

/** The English words of a text; what has a digit, a dot or an @ in it is an address, a number or a link. */
function englishIn(text: string): string[] {
  const words =
    text
      .replace(MOMENT, '')
      .replace(/\S*(@|\w\.\w|\d)\S*/g, '')
      .match(/[A-Za-z]{2,}/g) ?? [];
  return words.filter((word) => !NAMES.includes(word));
}

describe('a mail in the pseudo-language takes all of its words from the catalogue', () => {
  it.each(MAIL_KINDS)('%s', (kind) => {
    const { subject, text, html } = sampleOf(kind, SAMPLE_ADDRESS, messages, language);
    const page = new Page(html);
    const labels = page
      .elements()
      .flatMap(({ attributes }) => [attributes.alt, attributes.title, attributes['aria-label']]);

    expect(englishIn([subject, text, page.text, ...labels].join('\n'))).toEqual([]);
    expect(subject).toMatch(/^\[/);
  });
});
