import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { bundleOnce } from '../../src/pages/bundle.js';

const KILOBYTE = 1000;

describe('script and style sheet, gzipped,', () => {
  it.each([
    ['/ui', 'ui', 34],
    ['/admin', 'admin', 40],
  ] as const)('of %s weigh no more than they may', async (_, area, most) => {
    const { names, files } = await bundleOnce();
    const weight = [names[area], names[`${area}-style`]]
      .map((name) => gzipSync(files.get(name) ?? '').length)
      .reduce((sum, each) => sum + each);
    console.log(`${area}, bytes of script and style sheet gzipped: ${weight}`);

    expect(weight).toBeGreaterThan(5 * KILOBYTE);
    expect(weight).toBeLessThanOrEqual(most * KILOBYTE);
  });
});
