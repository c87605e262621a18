import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PageWords } from '../../src/words/say.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  const en = {
    'login.title': 'Welcome back',
    'problem.InvalidCredentials': 'That is not the password.',
    'acting.stop': 'Enough',
  } as const;
  app = await TestApp.start({ SVC_LOCALES: 'en' }, { product: { messages: { en } } });
});
afterAll(() => app.close());

/** The file of words that a page names, and what it says. */
async function wordsOf(path: string): Promise<{ name: string; words: PageWords; cached: unknown }> {
  const { text } = await app.browser().get(path);
  const name = /assets\/(\w+-words-[\w-]+\.json)/.exec(text)?.[1] ?? '';
  const answer = await app.browser().get(`/ui/assets/${name}`);
  return { name, words: answer.body, cached: answer.headers['cache-control'] };
}

describe('the words of a product', () => {
  it('are said by the pages in place of ours, in a file that holds for good', async () => {
    const { words, cached } = await wordsOf('/ui/login');

    expect(words.texts).toContain('Welcome back');
    const { body } = await app.browser().get(`/ui/assets/${words.late.problems}`);
    expect(body.InvalidCredentials).toBe('That is not the password.');
    expect(cached).toContain('immutable');
  });

  it('leave what a page does not say at nothing', async () => {
    const { words } = await wordsOf('/ui/account');

    expect(words.texts.filter((text) => (text as unknown) === 0).length).toBeGreaterThan(0);
    expect(words.texts).not.toContain('Welcome back');
  });

  it('come with the acts of the audit log, which a page loads late', async () => {
    const { words } = await wordsOf('/ui/login');
    const { status, body } = await app.browser().get(`/ui/assets/${words.late.acts}`);

    expect([status, body['login.succeeded']]).toEqual([200, expect.any(String)]);
  });

  it('come with the parts that few visitors see', async () => {
    const { words } = await wordsOf('/ui/account');
    const { status, body } = await app.browser().get(`/ui/assets/${words.late.parts}`);

    expect(status).toBe(200);
    expect(body.texts).toContain('Enough');
    expect(body.texts).not.toContain('Welcome back');
    expect(words.texts).not.toContain('Enough');
  });
});
