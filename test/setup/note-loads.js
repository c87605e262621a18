import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// node --import test/setup/note-loads.js: notes each module that the process loads, in the file of LATCHKEY_TEST_LOADS.
if (isMainThread) register(import.meta.url);

/** The hook of Node, which calls it in a thread of its own. */
export async function load(url, context, nextLoad) {
  appendFileSync(process.env.LATCHKEY_TEST_LOADS, `${url}\n`);
  return nextLoad(url, context);
}
