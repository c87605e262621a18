import { AsyncLocalStorage } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import pLimit from 'p-limit';
import { runCli } from '../../src/cli/run-cli.js';
import type { TestApp } from './test-app.js';

export interface Run {
  code: number | null;
  /** Standard output and standard error. */
  output: string;
  /** The lines of standard output. */
  lines: string[];
}

/** Runs a command as an operator does, with the configuration and the database of a service. */
export function runCommand(
  app: TestApp,
  words: string[],
  variables: Record<string, string> = {},
): Promise<Run> {
  return runProgram('cli', words, { ...settingsOf(app), ...variables });
}

/** The same in the process of the tests, for a case of a command of which another one shows that its program works. */
export function callCommand(
  app: TestApp,
  words: string[],
  variables: Record<string, string> = {},
): Promise<Run> {
  return callCli(words, { ...settingsOf(app), ...variables });
}

function settingsOf({ database, environment }: TestApp): Record<string, string> {
  return {
    SVC_ENVIRONMENT: 'dev',
    SVC_APP_MODE: environment.appMode,
    SVC_DATABASE_URL: database.url,
    SVC_JWT_SECRET_KEY: environment.jwtSecretKey.join(','),
  };
}

/** Runs one of the built programs of the service, or of the product in a folder, to its end. */
export function runProgram(
  name: 'cli' | 'main' | 'ready',
  words: string[],
  variables: Record<string, string>,
  cwd = '.',
): Promise<Run> {
  const env = { PATH: process.env.PATH, ...variables };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [`dist/${name}.js`, ...words],
      { env, cwd },
      (_, stdout, stderr) =>
        resolve({ code: child.exitCode, output: stdout + stderr, lines: stdout.trimEnd().split('\n') }),
    );
  });
}

/** What the command under way has printed, told apart from what the rest of the process prints meanwhile. */
const printed = new AsyncLocalStorage<{ stdout: string; stderr: string }>();
for (const name of ['stdout', 'stderr'] as const) {
  const write = process[name].write.bind(process[name]) as (...all: unknown[]) => boolean;
  process[name].write = (text: string | Uint8Array, ...more: unknown[]) => {
    const run = printed.getStore();
    if (run === undefined) return write(text, ...more);
    run[name] += text;
    return true;
  };
}

/** Thrown where a command would end its process. */
const ENDED = new Error('the command has ended');

/** They share the variables of the process. */
const oneAtATime = pLimit(1);

/** Runs a command in the process of the tests, where it need not load all of the service first. */
export function callCli(words: string[], variables: Record<string, string>): Promise<Run> {
  return oneAtATime(async () => {
    const { argv, env, exit, exitCode } = process;
    process.argv = [process.execPath, 'dist/cli.js', ...words];
    process.env = { PATH: env.PATH, ...variables };
    process.exitCode = 0;
    process.exit = (code) => {
      process.exitCode = code ?? 0;
      throw ENDED;
    };

    try {
      const run = { stdout: '', stderr: '' };
      await printed
        .run(run, () => runCli())
        .catch((error) => {
          if (error !== ENDED) throw error;
        });
      const code = Number(process.exitCode);
      return { code, output: run.stdout + run.stderr, lines: run.stdout.trimEnd().split('\n') };
    } finally {
      Object.assign(process, { argv, env, exit, exitCode });
    }
  });
}
