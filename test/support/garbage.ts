import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const INTERVAL_MS = 1_000;

/** Has the garbage collector take at once, while some work lasts, what nothing refers to any more. */
export async function whileCollecting<Result>(work: () => Promise<Result>): Promise<Result> {
  setFlagsFromString('--expose-gc');
  const collecting = setInterval(runInNewContext('gc'), INTERVAL_MS);
  return work().finally(() => clearInterval(collecting));
}

const COLLECT = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  setInterval(runInNewContext('gc'), ${INTERVAL_MS}).unref()`;

/** The variables of a process that does so as long as it runs. */
export const COLLECTING = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(COLLECT)}` };
