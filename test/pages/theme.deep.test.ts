import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { themeCss } from '../../src/pages/theme.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';

/** The surfaces of the style sheet: page, card and sunken, in the light and in the dark. */
const SURFACES = {
  light: ['#f5f6f8', '#ffffff', '#eceef2'],
  dark: ['#0e1014', '#16191f', '#1e222a'],
};

const COLOR = fc.stringMatching(/^#[\da-f]{6}$/).filter((color) => color !== '#3f46d6');

/** As WCAG 2.2 defines it, written without a look at the service's own. */
function ratio(one: string, other: string): number {
  const [high = 0, low = 0] = [one, other].map(luminance).sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  return [0.2126, 0.7152, 0.0722].reduce((sum, weight, index) => {
    const channel = Number(`0x${color.substring(1 + 2 * index, 3 + 2 * index)}`) / 255;
    return sum + weight * (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
  }, 0);
}

function valuesOf(css: string, name: string): string[] {
  return [...css.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6});`, 'gi'))].map(([, value = '']) => value);
}

describe('the style sheet of a color', () => {
  it('keeps buttons, links and focus rings readable, of any color and in both schemes', () => {
    fc.assert(
      fc.property(COLOR, (color) => {
        const css = themeCss(color) ?? '';
        const [[brand = ''], [onBrand = '']] = [valuesOf(css, 'brand'), valuesOf(css, 'on-brand')];
        expect(brand).toBe(color);
        expect(ratio(brand, onBrand)).toBeGreaterThanOrEqual(4.58);
        for (const name of ['link', 'focus']) {
          const [light = '', dark = ''] = valuesOf(css, name);
          for (const surface of SURFACES.light) expect(ratio(light, surface)).toBeGreaterThanOrEqual(4.5);
          for (const surface of SURFACES.dark) expect(ratio(dark, surface)).toBeGreaterThanOrEqual(4.5);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('takes a color as it is where it can be read already', () => {
    const css = themeCss('#5a4fcf') ?? '';

    expect(valuesOf(css, 'link')[0]).toBe('#5a4fcf');
    expect(valuesOf(themeCss('#ffffff') ?? '', 'link')[1]).toBe('#ffffff');
  });

  it('is served to every page, and not at all for the color that they are made with', async () => {
    const database = await TestDatabase.create();
    const ours = await TestApp.start({}, { database });
    const theirs = await TestApp.start({ SVC_PRODUCT_COLOR: '#00AA55' }, { database });
    const [plain, themed] = [await ours.browser().get('/ui/login'), await theirs.browser().get('/ui/login')];
    const [name = ''] = /theme-\w{8}\.css/.exec(themed.text) ?? [];
    const { text } = await theirs.browser().get(`/ui/assets/${name}`);
    await Promise.all([ours.nest.close(), theirs.nest.close()]);
    await database.close();

    expect(plain.text).not.toContain('theme-');
    expect(text).toBe(themeCss('#00AA55'));
    expect(text).toContain('--brand: #00AA55;');
  });
});
