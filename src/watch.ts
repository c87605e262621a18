import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { createInterface } from 'node:readline';
import { createLog } from './observability/log.js';
import { watchBundle } from './pages/bundle.js';
import { readDevEnvironment } from './start/dev-environment.js';
import { provideDatabase } from './start/provide-database.js';
import { refuseToStart } from './start/refuse-to-start.js';
import { writeWords } from './words/compile.js';

/** An editor writes a file in several steps. */
const SETTLED_MS = 200;

const COMPILER = ['--watch', '--preserveWatchOutput', '--project', 'tsconfig.build.json'];

/** Ends a child once this process has ended, for whatever reason. */
const FOLLOW = "data:text/javascript,process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))";

// npm run dev:watch: the service on this machine, restarted whenever a source changes.
try {
  const environment = await readDevEnvironment();
  // The same port after each restart, so that links stay good.
  process.env.SVC_PORT = String(environment.port);
  const log = await createLog(environment);
  // This process uses PostgreSQL too, so that it stays up while the service restarts.
  const database = await provideDatabase(environment, (line) =>
    log.info({ event: 'database.starting' }, line),
  );

  let service = startService('dist/src/dev.js');
  await watchBundle('dist/pages');
  const compiler = start('node_modules/typescript/bin/tsc', COMPILER, {
    stdio: ['ignore', 'pipe', 2, 'ipc'],
  });

  let isStopping = false;
  const stop = async () => {
    isStopping = true;
    await Promise.all([end(compiler), end(service)]);
    await database.stop();
    process.exit();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);

  let restarted = Promise.resolve();
  const restart = () => {
    log.info({ event: 'service.restarting' }, 'Sources or words have changed, and the service restarts.');
    restarted = restarted.then(async () => {
      await end(service);
      await writeWords('dist/words').catch((error) =>
        log.error(
          { event: 'words.faulty', reason: error.message },
          'The texts have faults, so the service keeps the former ones.',
        ),
      );
      if (!isStopping) service = startService('dist/src/main.js');
    });
  };

  if (environment.messagesDir !== undefined) {
    let settled: NodeJS.Timeout | undefined;
    const watcher = watch(environment.messagesDir, { recursive: true }, () => {
      clearTimeout(settled);
      settled = setTimeout(restart, SETTLED_MS);
    });
    // A machine that watches too many files already must not end the service.
    watcher.on('error', () => watcher.close());
  }
  for await (const _ of recompilations(compiler)) restart();
} catch (error) {
  refuseToStart(error);
}

/** In a process group of its own: a terminal's Ctrl-C must not reach it in addition to the signal it gets from here. */
function startService(program: string): ChildProcess {
  return start(program, [], { detached: true, stdio: ['ignore', 1, 2, 'ipc'] });
}

function start(program: string, words: string[], options: ForkOptions): ChildProcess {
  // The service reads its settings by itself; this process only passes its own environment on.
  const env = { ...process.env, SVC_ENVIRONMENT: 'dev' };
  return fork(program, words, { env, execArgv: ['--import', FOLLOW], ...options });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Passes the compiler's output on, and yields after each clean build but the first, when nothing has changed yet. */
async function* recompilations({ stdout }: ChildProcess): AsyncGenerator<void> {
  if (stdout === null) return;
  let isFirst = true;
  for await (const line of createInterface(stdout)) {
    console.log(line);
    if (!line.includes('Watching for file changes')) continue;
    if (!isFirst && line.includes('Found 0 errors')) yield;
    isFirst = false;
  }
}
