import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const PASSES = 'node -e 0';
const PACKAGE = { name: 'probe', version: '1.2.3', scripts: { check: PASSES, test: PASSES, build: PASSES } };
const README = `# Probe

## Changelog

### Unreleased

#### Added
- Wings.

### 1.2.3 (2026-01-31)

- Wheels.

## Design notes
`;

const WHO = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-release-'));
  git('init', '--quiet', '--initial-branch', 'main');
  write('README.md', README);
  write(
    'package-lock.json',
    JSON.stringify({ name: 'probe', version: '1.2.3', lockfileVersion: 3, packages: {} }),
  );
  commit(PACKAGE);
});
afterEach(() => rmSync(folder, { recursive: true }));

const options = () => ({ cwd: folder, env: { ...process.env, ...WHO }, encoding: 'utf8' as const });
const git = (...words: string[]) => execFileSync('git', words, options()).trim();
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const write = (file: string, text: string) => writeFileSync(join(folder, file), text);

function commit(manifest: object): void {
  write('package.json', JSON.stringify(manifest));
  git('add', '.');
  git('commit', '--quiet', '--message', 'begin');
}

function release(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [resolve('.ci/release.js'), ...words],
    options(),
  );
  return { status, output: stdout + stderr };
}

/** Nothing was committed, tagged or left changed. */
function expectUntouched(): void {
  expect([git('log', '--format=%s'), git('tag'), git('status', '--porcelain')]).toEqual(['begin', '', '']);
}

describe('npm run release', () => {
  it('puts the version everywhere, commits and tags', () => {
    const today = new Date().toISOString().slice(0, 10);

    expect(release('1.3.0').status).toBe(0);

    expect(JSON.parse(read('package.json')).version).toBe('1.3.0');
    expect(JSON.parse(read('package-lock.json')).version).toBe('1.3.0');
    expect(read('README.md')).toBe(
      README.replace('### Unreleased\n', `### Unreleased\n\n### 1.3.0 (${today})\n`),
    );
    expect(git('log', '-1', '--format=%s')).toBe('chore(release): 1.3.0');
    expect(git('tag', '--list', '--format=%(refname:short) %(contents)', 'v1.3.0')).toBe(
      'v1.3.0 #### Added\n- Wings.',
    );
    expect(git('status', '--porcelain')).toBe('');
  });

  it('has nothing to release a second time', () => {
    release('1.3.0');
    const { status, output } = release('1.3.0');
    expect(status).toBe(1);
    for (const fault of ['not newer than 1.3.0', 'tagged already', 'nothing under Unreleased'])
      expect(output).toContain(fault);
  });

  it('changes nothing in a dry run', () => {
    const { status, output } = release('1.3.0', '--dry-run');
    expect([status, output]).toEqual([0, expect.stringContaining('- Wings.')]);
    expectUntouched();
  });

  it.each([[], ['1.3'], ['v1.3.0'], ['next']])('asks for a version when given %s', (...words) => {
    expect(release(...words)).toMatchObject({
      status: 1,
      output: expect.stringContaining('say which version'),
    });
    expectUntouched();
  });

  it.each(['1.2.3', '1.1.9', '0.9.9'])('refuses %s, which is not newer', (version) => {
    expect(release(version)).toMatchObject({
      status: 1,
      output: expect.stringContaining('not newer than 1.2.3'),
    });
    expectUntouched();
  });

  it('refuses a working copy with changes', () => {
    write('new.txt', '');
    expect(release('1.3.0')).toMatchObject({ status: 1, output: expect.stringContaining('not committed') });
  });

  it('refuses another branch', () => {
    git('checkout', '--quiet', '-b', 'wings');
    expect(release('1.3.0')).toMatchObject({ status: 1, output: expect.stringContaining('made on main') });
  });

  it.each(['check', 'test', 'build'])('leaves everything as it was when %s fails', (script) => {
    write(
      'package.json',
      JSON.stringify({ ...PACKAGE, scripts: { ...PACKAGE.scripts, [script]: 'node -e "process.exit(1)"' } }),
    );
    git('commit', '--quiet', '--all', '--amend', '--message', 'begin');

    expect(release('1.3.0').status).toBe(1);

    expectUntouched();
  });
});
