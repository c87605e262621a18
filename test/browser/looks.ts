import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import type { CDPSession, Page } from 'playwright-core';
import type { Visitor } from './visitor.js';

/** Where to write a picture of each page in each state, for people to look at. */
const SHOTS = process.env.LATCHKEY_SHOTS;
if (SHOTS) mkdirSync(SHOTS, { recursive: true });

/** As wide as 1280 pixels at four times the size (WCAG 1.4.10), and a desk. */
const NARROW = 320;
const WIDTHS = [NARROW, 1280];
const SCHEMES = ['light', 'dark'] as const;

const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/**
 * All that the second scheme can change: of the rules above, these are the ones that axe tags `cat.color`. The others read
 * elements, names, sizes and the order, which the schemes share, as the style sheets differ only in colors.
 */
const COLOR_RULES = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** In both schemes, narrow and wide: no violation of WCAG 2.2 AA, no scrolling sideways. */
export async function looksRight({ page }: Visitor, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width === NARROW ? 640 : 800 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await shoot(page, `${name}-${width}-${colorScheme}`);
      expect(await violations(page, colorScheme === 'light' ? ALL_RULES : COLOR_RULES)).toEqual([]);
    }
    expect(await inPage(page, 'document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
}

/** No violation in one look at each scheme, of which the light one is wide and the dark one narrow. */
export async function isAccessible({ page }: Visitor, name: string): Promise<void> {
  for (const [colorScheme, width, rules] of [
    ['light', 1280, ALL_RULES],
    ['dark', 390, COLOR_RULES],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await shoot(page, `${name}-${width}-${colorScheme}`);
    expect(await violations(page, rules)).toEqual([]);
  }
}

/** In letters twice as large (WCAG 1.4.4), no scrolling sideways. */
export async function readsInLargeLetters({ page }: Visitor, name: string): Promise<void> {
  await page.setViewportSize({ width: 2 * NARROW, height: 800 });
  await inPage(page, `document.documentElement.style.fontSize = '200%', null`);
  await shoot(page, `${name}-large`);
  expect([name, await inPage(page, 'document.documentElement.scrollWidth')]).toEqual([name, 2 * NARROW]);
}

/** Writes a picture, where people want to look at it. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

/** What axe finds. It runs through the debugger, so that the policy of the page stays as it is. */
async function violations(page: Page, runOnly: object): Promise<unknown[]> {
  if (!(await inPage(page, "'axe' in globalThis"))) await inPage(page, `${AXE}; null`);
  return inPage(
    page,
    `axe.run({ resultTypes: ['violations'], runOnly: ${JSON.stringify(runOnly)} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary)]))`,
  );
}

/** One a page: when one of them ends, Chromium takes the passkeys of the page away. */
const debuggers = new WeakMap<Page, Promise<CDPSession>>();

/** The value of an expression in the page, whatever the policy of the page is. */
export async function inPage<T>(page: Page, expression: string): Promise<T> {
  const devtools = debuggers.get(page) ?? page.context().newCDPSession(page);
  debuggers.set(page, devtools);
  const how = { expression, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await (await devtools).send('Runtime.evaluate', how);
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
}
