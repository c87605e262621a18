import { InvalidEnvironment } from './config/read-environment.js';

/** Tells on standard error why the process cannot start, and ends it. */
export function refuseToStart(error: unknown): never {
  const isExpected = error instanceof InvalidEnvironment || !(error instanceof Error);
  process.stderr.write(`${isExpected ? String((error as Error).message ?? error) : error.stack}\n`);
  process.exit(1);
}
