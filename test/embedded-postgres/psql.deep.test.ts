import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-psql-'));
});
afterAll(() => rm(folder, { recursive: true }));

const psql = (path: string, ...words: string[]) =>
  run(process.execPath, ['--import', './test/setup/runner/typescript.js', 'tools/psql.ts', ...words], {
    env: { PATH: path, SVC_DATABASE_URL: 'postgres://ada:secret%2F1@127.0.0.1:5999/latchkey' },
  }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );

describe('npm run psql', () => {
  it('opens the development database, with the password in no argument, and ends as psql does', async () => {
    const program = join(folder, 'psql');
    await writeFile(program, '#!/bin/sh\nprintf "%s\\n" "$@" "$PGPASSWORD"\nexit 3\n');
    await chmod(program, 0o755);

    const { code, stdout } = await psql(`${folder}:/bin:/usr/bin`, '-c', 'SELECT 1');

    expect(code).toBe(3);
    expect(stdout.trim().split('\n')).toEqual([
      'postgres://ada@127.0.0.1:5999/latchkey',
      '-c',
      'SELECT 1',
      'secret/1',
    ]);
  });

  it('says what to install where there is no psql, and where the password is, which it does not print', async () => {
    const { code, stdout, stderr } = await psql(join(folder, 'none'));

    expect(code).toBe(127);
    expect(stderr).toContain('There is no psql on the PATH.');
    expect(stderr).toContain(
      'open postgres://ada@127.0.0.1:5999/latchkey in another; the password is in SVC_DATABASE_URL',
    );
    expect(stdout + stderr).not.toContain('secret');
  });
});
