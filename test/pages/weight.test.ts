import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { bundleOnce } from '../../src/pages/bundle.js';

const KILOBYTE = 1000;

describe('scripts, style sheet and words, gzipped,', () => {
  it.each([
    ['a page of /ui without a login', 'login', 'ui-style', 31.5],
    ['a page of /ui with a login', 'account', 'ui-style', 32.2],
    ['/admin', 'admin', 'admin-style', 41],
  ] as const)('of %s weigh no more than they may', async (page, script, style, most) => {
    const { names, imports, words, files } = await bundleOnce();
    const weight = [names[script], ...imports[script], names[style], words[script]]
      .map((name) => gzipSync(files.get(name) ?? '').length)
      .reduce((sum, each) => sum + each);
    console.log(`${page}, bytes of scripts, style sheet and words gzipped: ${weight}`);

    expect(weight).toBeGreaterThan(5 * KILOBYTE);
    expect(weight).toBeLessThanOrEqual(most * KILOBYTE);
  });
});
