import { describe, expect, it } from '@jest/globals';
import { REASON_CODES } from '../../src/validation/reasons.js';
import { clientLanguage } from '../../src/words/client-language.js';
import { wordsOf } from '../../src/words/client-words.js';
import { languageTags } from '../../src/words/language-file.js';

const ROLES = ['readonly', 'member', 'org_admin', 'sys_admin'] as const;

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0';

/** No user agent of a browser, or of none on a system that is known. */
const AGENTS = [FIREFOX, 'Firefox/140.0', 'curl (Linux)', 'curl', null];

/** One of each unit that a wait is said in. */
const WAITS = [null, 0, 60, 300, 21_600];

const english = wordsOf(await clientLanguage('en'));

describe.each(await languageTags())('the words of the client in %s', (tag) => {
  it('say each problem, reason, role and device', async () => {
    const language = await clientLanguage(tag);
    const words = wordsOf(language);
    const problems = Object.keys(language.problems).flatMap((code) =>
      WAITS.map((retry_after_seconds) =>
        words.problem({ code, message: 'undefined', request_id: 'a-request', retry_after_seconds }),
      ),
    );
    const reasons = REASON_CODES.map((code) => words.reason({ code, min: 8, max: 100 }));
    const roles = ROLES.map(words.role);
    const devices = AGENTS.map(words.device);

    expect(Object.keys(language.problems).length).toBeGreaterThan(50);
    for (const text of [...problems, ...reasons, ...roles, ...devices])
      expect(text).not.toMatch(/^$|[{}]|undefined|\bnull\b|NaN/);
    expect(new Set(roles).size).toBe(ROLES.length);
    expect(new Set(reasons).size).toBeGreaterThan(15);
    if (tag !== 'en') expect(problems).not.toContain(english.problem({ code: 'NotFound', message: '' }));
  });
});

describe('the words of the client', () => {
  it('say when to try again, and which request to name', () => {
    const said = (code: string, retry_after_seconds: number | null = null) =>
      english.problem({ code, message: '', request_id: 'a-request', retry_after_seconds });

    expect(said('TooManyRequests', 170)).toBe('There were too many requests. Try again in 3 minutes.');
    expect(said('TooManyRequests', 7200)).toBe('There were too many requests. Try again in 2 hours.');
    expect(said('TooManyRequests')).toBe('There were too many requests. Try again in a moment.');
    expect(said('InternalError')).toContain('a-request');
  });

  it.each(['NotesFull', 'constructor'])('leave a code of a product to its detail: %s', (code) => {
    expect(english.problem({ code, message: 'There is no room for another note.' })).toBe(
      'There is no room for another note.',
    );
  });

  it('say the bounds of a value', () => {
    expect(english.reason({ code: 'too_short', min: 8 })).toBe('Use at least 8 characters.');
    expect(english.reason({ code: 'not_a_cursor' })).toBe('This is not valid.');
  });

  it('leave a role of a newer service as it is', () => {
    expect(english.role('org_admin')).toBe('Admin');
    expect(english.role('owner' as 'member')).toBe('owner');
  });

  it('name a browser and its system', () => {
    expect(AGENTS.map(english.device)).toEqual([
      'Firefox on Windows',
      'Firefox',
      'Unknown browser on Linux',
      'Unknown browser',
      'Unknown browser',
    ]);
  });
});
