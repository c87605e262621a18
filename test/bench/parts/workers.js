import { availableParallelism } from 'node:os';
import { cookiesOf } from '../contenders.js';
import { load } from '../load.js';
import { measureLoad } from '../measure-load.js';
import { align } from '../report/align.js';
import { inRounds, ratio, typical } from '../rounds.js';
import { Server } from '../server.js';

const CONNECTIONS = 64;

/** How many times the requests of one worker two are to answer, where the machine has the cores for it. */
const LEAST = 1.5;

/** The check by one worker and by two, in alternated rounds. */
export async function measure({ postgres, sizes, contenders, report }) {
  const latchkey = contenders.find(({ name }) => name === 'latchkey');
  const cookies = cookiesOf(latchkey.contender, { last: sizes.sessions });
  const entries = [];
  for (const workers of ['1', '2']) {
    const server = await Server.start(latchkey, { SVC_WORKERS: workers });
    await load({ url: server.url, cookies, connections: CONNECTIONS, seconds: sizes.warmUpSeconds });
    entries.push({ name: workers, server });
  }

  const turns = await inRounds(entries, sizes.rounds, ({ name, server }, round) => {
    report(`${CONNECTIONS} at once, round ${round} of ${sizes.rounds}: workers ${name}`);
    return measureLoad({ postgres, server, cookies, connections: CONNECTIONS, seconds: sizes.roundSeconds });
  });
  for (const { server } of entries) await server.stop();
  return { turns, busyCores: busyCores(turns['1']) };
}

export function linesOf({ turns, busyCores }) {
  const rows = Object.entries(turns).map(([workers, own]) => [
    workers,
    typical(own, 'perSecond').toFixed(0),
    ratio(own, turns['1'], 'perSecond').toFixed(2),
    typical(own, 'appMicros').toFixed(0),
    typical(own, 'p99').toFixed(2),
  ]);
  const table = align([['workers', 'requests/s', 'to one', 'CPU µs app', 'p99 ms'], ...rows]);
  return [`The check by several workers, ${CONNECTIONS} at once`, ...table, ...excuse(busyCores), ''];
}

export function goals({ turns, busyCores }) {
  if (excuse(busyCores).length > 0) return [];
  return [
    {
      goal: 'requests/s of two workers, to one',
      is: ratio(turns['2'], turns['1'], 'perSecond'),
      least: LEAST,
    },
  ];
}

/** The cores that one worker keeps busy, together with PostgreSQL and the client. */
function busyCores(turns) {
  return typical(
    turns.map(({ perSecond, cpuMicros, clientMicros }) => ({
      cores: (perSecond * (cpuMicros + clientMicros)) / 1e6,
    })),
    'cores',
  );
}

function excuse(busyCores) {
  if (busyCores * LEAST <= availableParallelism()) return [];
  return [
    `One worker with PostgreSQL and the client takes ${busyCores.toFixed(1)} of ${availableParallelism()} cores, so that two cannot answer ${LEAST} times as much here.`,
  ];
}
