import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { EmbeddedPostgres } from '../../../tools/embedded-postgres/embedded-postgres.js';
import { ServiceProcess, START_PATIENCE_MS } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';

const PASSWORD = 'only the first admin knows';

let folder: string;
let child: ChildProcess;
let output: string;
/** The link that the first start prints, in a working copy without data. */
let firstLink: string | undefined;

/** A working copy with the built service, after its first start. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-dev-'));
  // PostgreSQL's account must be able to enter.
  await chmod(folder, 0o755);
  for (const part of ['dist', 'src/pages', 'src/words'])
    await cp(part, join(folder, part), { recursive: true });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "version": "0.0.0" }');
  await writeFile(join(folder, 'tsconfig.build.json'), '{ "files": [] }');
  run('dist/dev.js');
  firstLink = (await welcome()).link;
  await stop();
}, START_PATIENCE_MS);
afterAll(() => rm(folder, { recursive: true }));
afterEach(async () => {
  if (child.exitCode === null) await stop();
});

const isPostgresUp = () => existsSync(join(folder, '.data/cluster/data/postmaster.pid'));

function run(program: string): void {
  output = '';
  child = spawn(process.execPath, [program], {
    cwd: folder,
    env: { PATH: process.env.PATH, SVC_PORT: '0', SVC_BREACH_CHECK: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text));
}

/** What the welcome says, once it is there. */
async function welcome(): Promise<{ addresses: Record<string, string>; link: string | undefined }> {
  await until(() => output.includes('Ctrl-C stops the service'), START_PATIENCE_MS);
  const lines = [...output.matchAll(/^ {2}(\w+) +(http[^\s,]+)/gm)];
  const link = /^ {4}(http\S+)$/m.exec(output)?.[1];
  return { addresses: Object.fromEntries(lines.map(([, name, address]) => [name, address])), link };
}

async function stop(): Promise<unknown> {
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  return ended;
}

function post(url: string, body: object): Promise<Response> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  return fetch(url, init);
}

describe('npm run dev', () => {
  // It comes before the admin uses their link: afterwards no start makes one.
  it.each(['dist/dev.js', 'dist/src/watch.js'])(
    'leaves no PostgreSQL behind after a Ctrl-C in the moment in which it makes the admin: %s',
    async (program) => {
      const postgres = await EmbeddedPostgres.start({ dataDir: join(folder, '.data') });
      const client = new pg.Client(postgres.url);
      await client.connect();
      await client.query('BEGIN; LOCK TABLE one_time_tokens');

      run(program);
      const waits = 'SELECT 1 FROM pg_locks WHERE NOT granted';
      await until(async () => (await client.query(waits)).rows.length > 0, START_PATIENCE_MS);
      const ended = stop();
      await client.query('SELECT pg_sleep(0.3)');
      const isStillUp = child.exitCode === null;
      await client.query('COMMIT');
      const status = await ended;
      await client.end();
      await postgres.stop();

      expect({ isStillUp, status }).toEqual({ isStillUp: true, status: [0, null] });
      expect(output).toContain('"service.stopped"');
      expect(isPostgresUp()).toBe(false);
    },
    2 * START_PATIENCE_MS,
  );

  it(
    'names pages, console and mails first, and a link for the first admin until it was used',
    async () => {
      run('dist/dev.js');
      const { addresses, link = '' } = await welcome();

      expect(Object.keys(addresses)).toEqual(['Pages', 'Console', 'Mails', 'API', 'Docs']);
      const { API: api = '' } = addresses;
      expect(addresses).toMatchObject({
        Pages: `${api}/ui`,
        Console: `${api}/admin`,
        Mails: `${api}/dev/mail`,
      });
      expect((await fetch(addresses.Pages ?? '')).status).toBe(200);
      expect(firstLink).toMatch(
        /^http:\/\/localhost:[1-9]\d*\/ui\/reset-password\?token=[\w-]+&return_to=%2Fadmin$/,
      );

      const { origin, pathname, searchParams } = new URL(link);
      expect([origin + pathname, (await fetch(link)).status]).toEqual([`${api}/ui/reset-password`, 200]);
      const reset = { token: searchParams.get('token'), new_password: PASSWORD };
      expect((await post(`${api}/password/reset`, reset)).status).toBe(204);
      const login = await post(`${api}/auth/login`, { email: 'admin@example.com', password: PASSWORD });
      expect(await login.json()).toMatchObject({ user: { role: 'sys_admin' } });

      await stop();
      run('dist/dev.js');
      expect((await welcome()).link).toBeUndefined();
    },
    2 * START_PATIENCE_MS,
  );
});

describe('npm start', () => {
  it(
    'makes no admin, not even in dev',
    async () => {
      const database = await TestDatabase.create();
      const service = await ServiceProcess.start(database);
      await service.stop();

      expect(await database.rows('SELECT email FROM users')).toEqual([]);
      await database.close();
    },
    START_PATIENCE_MS,
  );
});
