import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedPostgres } from '../../../tools/embedded-postgres/embedded-postgres.js';
import { until } from '../../support/until.js';

const PROJECT = { compilerOptions: { outDir: 'dist', types: [], skipLibCheck: true }, files: ['probe.ts'] };

let folder: string;
let watch: ChildProcess;
let output: string;

/** A working copy with the built service, one source, which compiles in a moment, and the data of its PostgreSQL. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-watch-'));
  // PostgreSQL's account must be able to enter.
  await chmod(folder, 0o755);
  for (const part of ['dist', 'src/words']) await cp(part, join(folder, part), { recursive: true });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await mkdir(join(folder, 'messages/words'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tsconfig.build.json'), JSON.stringify(PROJECT));
  const postgres = await EmbeddedPostgres.start({
    dataDir: join(folder, '.data'),
    settings: { fsync: 'off' },
  });
  await postgres.stop();
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  await change('1');
  output = '';
  watch = spawn(process.execPath, ['dist/src/watch.js'], {
    cwd: folder,
    env: { PATH: process.env.PATH, SVC_PORT: '0', SVC_MESSAGES_DIR: 'messages' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [watch.stdout, watch.stderr]) stream?.on('data', (text) => (output += text));
});
afterEach(async () => {
  watch.kill('SIGKILL');
  await gone();
});

const change = (value: string) =>
  writeFile(join(folder, 'probe.ts'), `export const probe: number = ${value};`);
const isPostgresUp = () => existsSync(join(folder, '.data/cluster/data/postmaster.pid'));
const services = () =>
  [...output.matchAll(/"event":"service.started","url":"([^"]+)"/g)].map(([, url]) => String(url));
const compilations = () => output.match(/Found \d errors?/g)?.length ?? 0;

function answers(url: string | undefined): Promise<boolean> {
  return fetch(`${url}/health/live`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Resolves once the service answers, and the compiler has seen every source. */
async function begun(): Promise<void> {
  await until(() => services().length === 1);
  await until(() => compilations() === 1);
}

/** Resolves once neither a service nor its PostgreSQL is left. */
async function gone(): Promise<void> {
  await until(async () => !isPostgresUp() && !(await answers(services().at(-1))));
}

describe('npm run dev:watch', () => {
  it('restarts the service when a source has changed and compiles, and leaves no process behind after Ctrl-C', async () => {
    await begun();
    await change('"no number"');
    await until(() => compilations() === 2);
    await change('2');
    await until(() => services().length === 2);
    const [first, second] = services();
    // The same address, so that the links that were printed stay good.
    expect([second, await answers(second)]).toEqual([first, true]);

    watch.kill('SIGINT');

    expect(await once(watch, 'exit')).toEqual([0, null]);
    expect([isPostgresUp(), await answers(second)]).toEqual([false, false]);
    expect(output.match(/Starting PostgreSQL/g)).toHaveLength(1);
  });

  it('restarts the service when a text of the product has changed', async () => {
    await begun();
    const name = join(folder, 'messages/words/en.json');
    await writeFile(name, '{ "words": { "shell.missing.title": "Nothing here" } }');
    await until(() => services().length === 2);

    const page = await fetch(`${services()[1]}/ui/nowhere`, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('Nothing here');
  });

  it('leaves no process behind when it is killed', async () => {
    await begun();

    watch.kill('SIGKILL');

    await gone();
  });
});
