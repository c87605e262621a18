import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export const PER_SECOND = 200;

const INTERVAL_MS = 1000 / PER_SECOND;
const TICK_MS = 2;

/** The latencies of checks at 200 a second, for some seconds. */
export function paceFor(seconds, server, cookies) {
  const end = performance.now() + seconds * 1000;
  return pace(server, cookies, () => performance.now() > end);
}

/** The latencies of checks at 200 a second while some work is done, and what came of it. */
export async function paceDuring(work, server, cookies) {
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  const [latencies, result] = await Promise.all([pace(server, cookies, () => isDone), working]);
  return { latencies, result };
}

/**
 * Sends each request at its time, whether or not the earlier ones were answered, and counts its milliseconds from
 * then on: were a stalled server asked less, it would look better.
 */
async function pace({ url }, cookies, isOver) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const answers = [];
  for (let due = performance.now(); !isOver(); await sleep(TICK_MS)) {
    for (; due <= performance.now(); due += INTERVAL_MS) {
      const cookie = cookies[answers.length % cookies.length];
      answers.push(latency(url, { agent, headers: { cookie } }, due));
    }
  }
  const latencies = await Promise.all(answers);
  agent.destroy();
  return latencies;
}

function latency(url, options, due) {
  return new Promise((resolve, reject) => {
    get(url, options, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`a check was answered ${answer.statusCode}`));
      answer.resume().on('end', () => resolve(performance.now() - due));
    }).on('error', reject);
  });
}
