import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MAIL_KINDS } from '../../src/mail/mail-kinds.js';
import { Page } from '../mail/page.js';
import { callCli } from '../support/command-line.js';

/** Nothing listens there. */
const NO_DATABASE = 'postgres://nobody@127.0.0.1:1/none';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'latchkey-previews-')), 'out');
});
afterEach(() => rm(join(folder, '..'), { recursive: true }));

const cli = (...words: string[]) =>
  callCli(['mail', 'preview', ...words, '--folder', folder], {
    SVC_ENVIRONMENT: 'dev',
    SVC_DATABASE_URL: NO_DATABASE,
    SVC_LOCALES: 'en,de,ar',
    SVC_PRODUCT_NAME: 'Acme',
  });

const written = (file: string) => readFile(join(folder, file), 'utf8');

describe('mail preview', () => {
  it('writes every mail in every language, and a page that leads to them, without a database', async () => {
    const { code, output } = await cli();
    const count = 3 * MAIL_KINDS.length;

    expect(output).toBe(`Wrote ${count} mails. Open ${join(folder, 'index.html')}.\n`);
    expect(code).toBe(0);
    const files = await readdir(folder);
    expect(files).toHaveLength(2 * count + 1);
    const index = new Page(await written('index.html'));
    expect(index.faults).toEqual([]);
    const links = index.elements('a').map(({ attributes }) => attributes.href);
    expect([...links, 'index.html'].sort()).toEqual(files.sort());
  });

  it('writes one kind in one language, the same at every time', async () => {
    await cli('invitation', '--language', 'de');
    const first = await written('invitation.de.html');
    await cli('invitation', '--language', 'de');

    expect(await readdir(folder)).toEqual(['index.html', 'invitation.de.html', 'invitation.de.txt']);
    expect(await written('invitation.de.html')).toBe(first);
    const page = new Page(first);
    expect(page.faults).toEqual([]);
    expect(page.elements('html')[0]?.attributes.lang).toBe('de');
    expect(await written('invitation.de.txt')).toContain('„Muster GmbH“');
    expect(await written('invitation.de.txt')).toContain('Acme');
  });

  it.each([
    [['lost'], 'There is no kind lost. Name one of verification, already-registered,'],
    [['--language', 'nl'], 'SVC_LOCALES has no nl. Name one of en, de, ar.'],
  ])('refuses %j, and writes nothing', async (words, message) => {
    expect(await cli(...words)).toMatchObject({ code: 1, output: expect.stringContaining(message) });
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });
});
