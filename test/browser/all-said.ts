import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { NASTY_VALUES } from '../support/nasty.js';
import { inPage, shoot } from './looks.js';
import type { Visitor } from './visitor.js';

/** Dates are those of the browser, codes are none of our words, and what says that it is English may be. */
const OF_OTHERS = 'time, code, script, style, noscript, #failed, #page > .late, [lang=en]:not(html)';

/** As wide as 1280 pixels at four times the size (WCAG 1.4.10). */
const NARROW = 320;

/** What programs, systems, a time zone, the language itself, the product, providers, organizations and people are called. */
const NAMES = [
  'Android, Chrome, Edge, Firefox, Headless, iPhone, Linux, Safari, Windows, UTC, en-XA',
  'Latchkey, Analytical, A year of it, Example ID, the provider, the provider staff, Stripe, mailapi, stub',
  'Analytical Engine, Analytical Engines, Differential, Globex, Governed, Hooli, Initech, Kramerica Industries, Mechanical',
  'Pendant, Pendant Publishing, Pied Piper, Sirius Cybernetics, Soylent, Tabulating, Umbrella Works',
  'Vandelay, Vandelay Imports, Vandelay Industries, Ada, Ada Byron, Charles, Grace',
].flatMap((names) => names.split(', '));

/** As the browser writes a day where no element is around it: `Nov 21`. */
const DAY = `(?:${monthsOf('long')}|${monthsOf('short')}) \\d+`;

const values = new Set<string>();

/** Lets pages say as it is what a story types into a field, or has put into the database. */
export function allow(...given: string[]): void {
  for (const value of given) values.add(value);
}

/** In a page that says everything in the pseudo-language: nothing of what `faultsOf` finds. */
export async function saysAll({ page }: Visitor, name: string): Promise<void> {
  await shoot(page, `pseudo-${name}`);
  expect([name, ...(await faultsOf(page))]).toEqual([name]);
}

/**
 * What is wrong with a page that says everything in the pseudo-language: what a person could see or hear is English and no name,
 * or something makes the page scroll sideways on the narrowest phone. Looks once at a page that does not change.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  const given = JSON.stringify([[...NAMES, ...NASTY_VALUES, ...values], OF_OTHERS, DAY]);
  const said = await inPage<string[] | null>(page, `(${englishIn})(...${given})`);
  if (said === null) return [];
  const size = page.viewportSize();
  if (size === null || size.width === NARROW)
    return [...said, ...(await inPage<string[]>(page, `(${widerIn})()`))];

  await page.setViewportSize({ ...size, width: NARROW });
  const wider = await inPage<string[]>(page, `(${widerIn})()`);
  await page.setViewportSize(size);
  return [...said, ...wider];
}

function monthsOf(month: 'long' | 'short'): string {
  const { format } = new Intl.DateTimeFormat('en', { month, timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, index) => format(Date.UTC(2026, index))).join('|');
}

/**
 * Runs in the page, and returns null where it is as it was the last time. What has a digit, a dot or an @ in it is no word: a
 * number, an address, a type.
 */
const englishIn = String.raw`(names, leftOut, day) => {
  const markup = document.title + document.documentElement.outerHTML;
  if (markup === globalThis.markupOfLastLook) return null;
  globalThis.markupOfLastLook = markup;
  const literal = (name) => name.trim().replace(/\s+/g, ' ').replace(/[$()*+.?[\]^{|}\\]/g, '\\$&');
  const words = names.filter((name) => /[A-Za-z]{2}/.test(name)).map(literal);
  const longestFirst = words.sort((one, other) => other.length - one.length);
  const known = new RegExp('(?<![A-Za-z])(?:' + [day, ...longestFirst].join('|') + ')(?![A-Za-z])', 'g');
  const faults = [];
  // The service writes a page without a script itself, in a language that it serves.
  if (document.scripts.length === 0) return faults;
  const check = (where, text) => {
    if (!/[A-Za-z]{2}/.test(text ?? '')) return;
    const left = text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '').replace(/\s+/g, ' ').replace(known, ' ').replace(/\S*(@|\w\.\w|\d)\S*/g, '');
    if (/[A-Za-z]{2}/.test(left)) faults.push(where + ' says ' + text.trim());
  };
  check('the title', document.title);
  for (const element of document.querySelectorAll('body, body *')) {
    if (element.closest(leftOut)) continue;
    const where = [element.localName, ...element.classList].join('.');
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) check(where, node.data);
    for (const attribute of ['title', 'alt', 'placeholder', 'aria-label', 'aria-description', 'aria-roledescription', 'data-column', 'label'])
      check(where + ' ' + attribute, element.getAttribute(attribute));
  }
  return faults;
}`;

const widerIn = `() => {
  const faults = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth || innerWidth !== 320) faults.push('the page is ' + scrollWidth + ' wide at ' + innerWidth);
  for (const dialog of document.querySelectorAll('dialog[open]'))
    if (dialog.scrollWidth > dialog.clientWidth) faults.push('the dialog is ' + dialog.scrollWidth + ' wide');
  return faults;
}`;
