import { readFileSync, writeFileSync } from 'node:fs';
import { cookiesOf } from './contenders.js';
import { load } from './load.js';
import { measureLoad } from './measure-load.js';
import { align } from './report/align.js';
import { inRounds, ratio } from './rounds.js';
import { Server } from './server.js';

const FILE = new URL('ratios.json', import.meta.url);
const CONNECTIONS = 16;
const ROUNDS = 10;
const SECONDS = 1;

/** By how much a ratio may grow before it counts as worse: a busy machine moves it by a tenth. */
const TOLERANCE = 1.2;

/** Processor time, as a busy machine makes everything slower by the clock. */
const FIGURES = { 'CPU of the service a request': 'appMicros', 'all CPU a request': 'cpuMicros' };

/** Compares what a session check costs, as parts of what the limit's costs, with the committed figures. */
export async function compareRatios({ postgres, sizes, contenders, report, accept }) {
  const ratios = await measureRatios({ postgres, sizes, contenders, report });
  if (accept) return writeFileSync(FILE, `${JSON.stringify(ratios, null, 2)}\n`);

  const committed = JSON.parse(readFileSync(FILE, 'utf8'));
  const rows = Object.entries(ratios).map(([name, is]) => [name, String(is), String(committed[name])]);
  console.log(align([[`to the limit's, ${CONNECTIONS} at once`, 'is', 'committed'], ...rows]).join('\n'));

  const worse = Object.keys(ratios).filter((name) => ratios[name] > committed[name] * TOLERANCE);
  if (worse.length > 0)
    throw new Error(
      `Worse than committed by more than a fifth: ${worse.join(', ')}. See docs/faults-and-figures.md.`,
    );
}

async function measureRatios({ postgres, sizes, contenders, report }) {
  const servers = [];
  for (const entry of contenders.filter(({ name }) => ['limit', 'latchkey'].includes(name))) {
    const server = await Server.start(entry);
    const cookies = cookiesOf(entry.contender, { last: sizes.sessions });
    await load({ url: server.url, cookies, connections: CONNECTIONS, seconds: 3 });
    servers.push({ name: entry.name, server, cookies });
  }

  const { latchkey, limit } = await inRounds(servers, ROUNDS, ({ name, server, cookies }, round) => {
    report(`ratios, round ${round} of ${ROUNDS}: ${name}`);
    return measureLoad({ postgres, server, cookies, connections: CONNECTIONS, seconds: SECONDS });
  });
  for (const { server } of servers) await server.stop();
  return Object.fromEntries(
    Object.entries(FIGURES).map(([name, figure]) => [
      name,
      Number(ratio(latchkey, limit, figure).toFixed(2)),
    ]),
  );
}
