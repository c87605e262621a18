import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { bundleOnce } from '../../src/pages/bundle.js';

const KILOBYTE = 1000;

/**
 * What memberships cost: the organization that a page is about, its rules for access, suspended members. At most 1 kB of
 * /ui, and 3 of /admin.
 */
const MEMBERSHIPS = { 'ui-style': 0.6, 'admin-style': 2 };

/** What the console gained by what a subscription and a key say, in kilobytes, where 5 are planned. */
const KEYS = { 'ui-style': 0, 'admin-style': 0.1 };

describe('scripts, style sheet and words, gzipped,', () => {
  it.each([
    ['a page of /ui without a login', 'login', 'ui-style', 33],
    ['the page of a mailed code', 'code', 'ui-style', 33],
    ['a page of /ui with a login', 'account', 'ui-style', 33],
    ['the page of security', 'security', 'ui-style', 33],
    ['the page of the subscription', 'billing', 'ui-style', 27.5],
    ['a screen of every admin', 'admin', 'admin-style', 37],
    ['the screen of what was done', 'activity', 'admin-style', 37],
    ['a screen of system admins', 'system', 'admin-style', 37.5],
    ['a screen of system admins about users', 'users', 'admin-style', 37.5],
  ] as const)('of %s weigh no more than they may', async (page, script, style, most) => {
    const { names, imports, words, files } = await bundleOnce();
    const weight = [names[script], ...imports[script], names[style], words.en?.[script] ?? '']
      .map((name) => gzipSync(files.get(name) ?? '').length)
      .reduce((sum, each) => sum + each);
    console.log(`${page}, bytes of scripts, style sheet and words gzipped: ${weight}`);

    expect(weight).toBeGreaterThan(5 * KILOBYTE);
    expect(weight).toBeLessThanOrEqual((most + MEMBERSHIPS[style] + KEYS[style]) * KILOBYTE);
  });
});
