import { execFile } from 'node:child_process';
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
  { database, environment }: TestApp,
  words: string[],
  variables: Record<string, string> = {},
): Promise<Run> {
  return runProgram('cli', words, {
    SVC_ENVIRONMENT: 'dev',
    SVC_APP_MODE: environment.appMode,
    SVC_DATABASE_URL: database.url,
    SVC_JWT_SECRET_KEY: environment.jwtSecretKey.join(','),
    ...variables,
  });
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
