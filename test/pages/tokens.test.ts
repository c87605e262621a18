import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { contrast, mixed } from '../../src/config/color.js';

/** WCAG 2.2: text (1.4.3), and what marks a control or its focus (1.4.11). */
const TEXT = 4.5;
const CONTROL = 3;
const SURFACES = ['page', 'card', 'sunken'];

/** What stands on what, and what that asks for. */
const PAIRS = [
  ...SURFACES.flatMap((surface): [string, string, number][] => [
    ['text', surface, TEXT],
    ['quiet', surface, TEXT],
    ['link', surface, TEXT],
    ['danger', surface, TEXT],
    ['edge', surface, CONTROL],
    ['focus', surface, CONTROL],
  ]),
  ['on-brand', 'brand', TEXT],
  ['card', 'danger', TEXT],
  ['danger', 'danger-tint', TEXT],
  ['good', 'good-tint', TEXT],
  ['warn', 'warn-tint', TEXT],
] as [string, string, number][];

const [light = '', dark = ''] = readFileSync('src/pages/web/style/tokens.css', 'utf8').split('@media');

describe.each([
  ['light', light],
  ['dark', dark],
])('the colors in the %s', (_, css) => {
  const tokens = Object.fromEntries(
    [...css.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, color]) => [name, color]),
  );
  const color = (name: string) => tokens[name] ?? `${name} is missing`;

  it.each(PAIRS)('let %s be read on %s: %d to 1 at least', (above, below, least) => {
    expect(contrast(color(above), color(below))).toBeGreaterThanOrEqual(least);
  });

  it('let text be read where the page has a breath of the brand', () => {
    const tinted = mixed(color('page'), color('brand'), 0.08);
    expect(contrast(color('text'), tinted)).toBeGreaterThanOrEqual(TEXT);
    expect(contrast(color('quiet'), tinted)).toBeGreaterThanOrEqual(TEXT);
  });
});

describe('the custom properties', () => {
  it('are those that docs/pages.md lists, which a product can rely on', () => {
    const document = readFileSync('docs/pages.md', 'utf8');
    const rows = document.match(/^\| `--[^|]+\|/gm) ?? [];
    const listed = rows.flatMap((row) => row.match(/--[\w-]+/g) ?? []);
    const declared = [...`${light}${dark}`.matchAll(/^\s+(--[\w-]+):/gm)].map(([, name]) => name);

    expect(listed.length).toBeGreaterThanOrEqual(40);
    expect(listed.sort()).toEqual([...new Set(declared)].sort());
  });
});
