import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';

const SOURCES = fileURLToPath(new URL('../../tools/embedded-postgres', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url));

const SCRIPT = `
  import { EmbeddedPostgres } from './embedded-postgres.js';

  const server = await EmbeddedPostgres.start({ dataDir: process.argv[2], settings: { fsync: 'off' } });
  process.once('message', () => server.stop().then(() => process.disconnect()));
  process.send(server.url);
`;

/** Another process that uses the embedded server. */
export class EmbeddedProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(program: string, dataDir: string): Promise<EmbeddedProcess> {
    const child = fork(program, [dataDir], { execArgv: [] });
    const [url] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) });
    return new EmbeddedProcess(url, child);
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.send('stop');
    await exited;
  }

  async kill(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }
}

/** Compiles the program of such a process into a folder, since Node 20 runs no TypeScript. */
export async function compileEmbeddedProcess(folder: string): Promise<string> {
  for (const name of await readdir(SOURCES)) {
    const { code } = await transformFile(join(SOURCES, name), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    });
    await writeFile(join(folder, name.replace(/\.ts$/, '.js')), code);
  }
  await symlink(PACKAGES, join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'process.js'), SCRIPT);
  return join(folder, 'process.js');
}
