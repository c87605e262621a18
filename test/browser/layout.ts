import { setTimeout } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { inPage } from './looks.js';

const WIDTHS = [320, 390, 768, 1024, 1280, 1440, 1600];
/** Those where the sections of the console are a menu. */
const NARROW = [320, 390, 768];
const HEIGHT = 800;
/** Each width with both: the schemes differ in colors, and the directions in where things are. */
const WAYS = [
  ['light', 'ltr'],
  ['dark', 'rtl'],
] as const;

/** What a page may move by while its answers come, as Chromium measures it. */
const MOST_SHIFT = 0.02;
/** The session is known first; both take longer than the pages wait before they show grey rows. */
const ANSWERS_MS = { '/users/me': 180, others: 360 };

/** Adds up, from the beginning of the document, by how much things that were already shown have moved. */
const WATCH = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      globalThis.shifts.push([value, sources.map(({ node, previousRect: from, currentRect: to }) =>
        (node?.nodeName ?? 'gone') + '.' + (node?.className ?? '') + ' ' + (node?.textContent ?? '').slice(0, 30) +
        ' from ' + Math.round(from.x) + ',' + Math.round(from.y) + ' to ' + Math.round(to.x) + ',' + Math.round(to.y)).join('; ')]);
  }).observe({ type: 'layout-shift', buffered: true });`;

/** Lets every answer of the API take a while, and notes what moves when it comes. */
export async function watchShifts(context: BrowserContext): Promise<void> {
  await context.addInitScript(WATCH);
  await context.route('**', async (route) => {
    const request = route.request();
    if (request.resourceType() === 'fetch')
      await setTimeout(
        new URL(request.url()).pathname === '/users/me' ? ANSWERS_MS['/users/me'] : ANSWERS_MS.others,
      );
    // The page may have gone meanwhile.
    await route.fallback().catch(() => {});
  });
}

/** Opens an address at a width, and waits until all that was asked for is shown. Nothing moves on the way. */
export async function opensWithoutMoving(page: Page, address: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: HEIGHT });
  await page.goto(address);
  for (let isLoading = true; isLoading; )
    isLoading = await inPage<boolean>(
      page,
      `new Promise((resolve) => setTimeout(resolve, 60)).then(() => document.querySelector('.grey-rows, #page > .late') !== null)`,
    );
  const shifts = await inPage<[number, string][]>(page, 'globalThis.shifts');
  const sum = shifts.reduce((total, [value]) => total + value, 0);
  expect([address, width, sum > MOST_SHIFT ? shifts : []]).toEqual([address, width, []]);
}

/** At each width, in both schemes and directions: nothing leaves the window, is cut off or breaks within a word. */
export async function fitsEverywhere(
  page: Page,
  name: string,
  names: readonly string[],
  widths = WIDTHS,
): Promise<void> {
  await inPage(page, `globalThis.faultsOfLayout = ${faultsOfLayout}; null`);
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: HEIGHT });
    for (const [colorScheme, direction] of WAYS) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await inPage(page, `document.documentElement.dir = '${direction}'; null`);
      const faults = await inPage<string[]>(page, `faultsOfLayout(${JSON.stringify(names)})`);
      found.push(...faults.map((fault) => `${name} at ${width}, ${colorScheme}, ${direction}: ${fault}`));
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await inPage(page, `document.documentElement.dir = 'ltr'; null`);
  expect(found).toEqual([]);
}

/** The same of what only narrow windows have. */
export function fitsOnPhones(page: Page, name: string, names: readonly string[]): Promise<void> {
  return fitsEverywhere(page, name, names, NARROW);
}

/** Runs in the page: what is wrong with where things are. */
const faultsOfLayout = String.raw`(names) => {
  const faults = new Set();
  const SLACK = 1;
  const NAMES = names.join(' ');
  const root = document.documentElement;
  const open = [...document.querySelectorAll('dialog[open], :popover-open')].at(-1);
  const called = (element) =>
    element.localName + (element.className ? '.' + String(element.className).replaceAll(' ', '.') : '') +
    ' “' + (element.ariaLabel || element.name || element.textContent).trim().slice(0, 40) + '”';
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('.unseen, [aria-hidden="true"]');
  const leaves = (rect, { left, right }) => rect.left < left - SLACK || rect.right > right + SLACK;

  if (root.scrollWidth > innerWidth) {
    faults.add('the page is ' + root.scrollWidth + ' wide');
    for (const element of document.body.querySelectorAll('*'))
      if (isShown(element) && leaves(element.getBoundingClientRect(), { left: 0, right: innerWidth })) {
        faults.add(called(element) + ' leaves the window');
        if (faults.size > 6) break;
      }
  }

  const within = open ?? document.body;
  const controls = [...within.querySelectorAll('a, button, input, select, textarea, summary')].filter(
    (element) => isShown(element) && element.getClientRects().length > 0,
  );
  for (const control of [...controls, ...[...within.querySelectorAll('table')].filter(isShown)]) {
    const rect = control.getBoundingClientRect();
    if (leaves(rect, { left: 0, right: innerWidth })) faults.add(called(control) + ' is outside of the window');
    if (!control.matches('input, select, table') && control.scrollWidth > control.clientWidth + SLACK && control.clientWidth > 0)
      faults.add(called(control) + ' is cut off');
    for (let parent = control.parentElement; parent && parent !== document.body; parent = parent.parentElement) {
      const clips = parent.matches('.card, dialog') || getComputedStyle(parent).overflowX !== 'visible';
      if (clips && leaves(rect, parent.getBoundingClientRect())) faults.add(called(control) + ' leaves ' + called(parent));
      if (parent === open) break;
    }
  }

  const blocks = controls.filter((element) => element.matches('.button, input, select'));
  const rects = blocks.map((element) => element.getBoundingClientRect());
  for (let one = 0; one < blocks.length; one++)
    for (let other = one + 1; other < blocks.length; other++) {
      const [a, b] = [rects[one], rects[other]];
      const isOver = a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
      if (isOver && !blocks[one].closest('.with-button')) faults.add(called(blocks[one]) + ' overlaps ' + called(blocks[other]));
    }

  const range = document.createRange();
  const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  const lines = () => new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top))).size;
  while (texts.nextNode()) {
    const node = texts.currentNode;
    if (!node.data.trim() || !isShown(node.parentElement)) continue;
    range.selectNodeContents(node);
    if (lines() < 2) continue;
    // A line may end after a hyphen; what has a dot, a digit, an @ or a capital within is an address, an id or a code, and
    // what fills a text of a pseudo-language makes a word longer than any is.
    for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
      if (/[@:._\d·]\S|[a-z][A-Z]/.test(word) || NAMES.includes(word.replace(/[“”",.?!]/g, ''))) continue;
      for (const part of word.matchAll(/[^\-–—/]+/g)) {
        range.setStart(node, index + part.index);
        range.setEnd(node, index + part.index + part[0].length);
        if (lines() > 1) faults.add('“' + word + '” breaks within, in ' + called(node.parentElement));
      }
    }
  }
  return [...faults];
}`;
