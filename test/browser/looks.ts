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
/** All that the second scheme can change. */
const COLOR_RULES = { type: 'rule', values: ['color-contrast'] };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** In both schemes, narrow and wide: no violation of WCAG 2.2 AA, no scrolling sideways. */
export async function looksRight({ page }: Visitor, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width === NARROW ? 640 : 800 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      if (SHOTS)
        await page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      expect(await violations(page, colorScheme === 'light' ? ALL_RULES : COLOR_RULES)).toEqual([]);
    }
    expect(await inPage(page, 'document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
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

async function inPage<T>(page: Page, expression: string): Promise<T> {
  const devtools = debuggers.get(page) ?? page.context().newCDPSession(page);
  debuggers.set(page, devtools);
  const how = { expression, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await (await devtools).send('Runtime.evaluate', how);
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
}
