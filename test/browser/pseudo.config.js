import config from './jest.config.js';

// The workers inherit it: the visitors of all stories read this language.
process.env.LATCHKEY_TEST_LANGUAGE = 'en-XA';

const LEFT_OUT = [
  // How the countries that speak English write a date.
  'formats',
  // They choose the languages of their visitors by themselves, of which one is a pseudo-language each time.
  'language',
  'right-to-left',
  'own-looks',
  'pseudo-console',
  'pseudo-pages',
  // The mails in it are in the languages of the service, in a frame that runs no script, so not the one that sets the language.
  'mail-preview',
  // The pages of a product, which is in English.
  'example',
  // It measures, and only alone.
  'paint',
];

/** @type {import('jest').Config} */
export default {
  ...config,
  testPathIgnorePatterns: ['/node_modules/', `/test/browser/(${LEFT_OUT.join('|')})\\.test\\.ts$`],
  // Each step of a visitor is followed by a look at the page.
  testTimeout: 120_000,
};
