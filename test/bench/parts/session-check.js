import { cookiesOf } from '../contenders.js';
import { load } from '../load.js';
import { measureLoad } from '../measure-load.js';
import { residentBytes } from '../processes.js';
import { align } from '../report/align.js';
import { inRounds, ratio, spread, typical } from '../rounds.js';
import { Server } from '../server.js';

const CONNECTIONS = [1, 16, 64];

/** The requests a second that Latchkey is to reach, in parts of the limit's, by connections. */
const LEAST = { 1: 0.9, 16: 1.2, 64: 1.3 };

/** Every contender's check of a session, in alternated rounds, and the memory that each holds afterwards. */
export async function measure({ postgres, sizes, contenders, report }) {
  const servers = await startAll(contenders, sizes, report);
  const rounds = new Map();
  for (const connections of CONNECTIONS) {
    const turn = ({ name, server, cookies }, round) => {
      report(`${connections} at once, round ${round} of ${sizes.rounds}: ${name}`);
      return measureLoad({ postgres, server, cookies, connections, seconds: sizes.roundSeconds });
    };
    rounds.set(connections, await inRounds(servers, sizes.rounds, turn));
  }

  const memory = Object.fromEntries(servers.map(({ name, server }) => [name, residentBytes(server.pid)]));
  for (const { server } of servers) await server.stop();
  return { rounds, memory };
}

/** A table for each number of connections. */
export function linesOf({ rounds, memory }) {
  return [...rounds].flatMap(([connections, turns]) => [
    `Session check, ${connections} at once (the limit's own rounds: ± ${percent(spread(turns.limit, 'perSecond'))})`,
    ...align([HEAD, ...Object.keys(turns).map((name) => row(name, turns, memory))]),
    '',
  ]);
}

export function goals({ rounds }) {
  const checks = [...rounds].flatMap(([connections, { latchkey, limit }]) => [
    {
      goal: `requests/s, ${connections} at once`,
      is: ratio(latchkey, limit, 'perSecond'),
      least: LEAST[connections],
    },
    { goal: `p99, ${connections} at once`, is: ratio(latchkey, limit, 'p99'), most: 1.1 },
    {
      goal: `CPU of the service a request, ${connections} at once`,
      is: ratio(latchkey, limit, 'appMicros'),
      most: 1.15,
    },
    { goal: `all CPU a request, ${connections} at once`, is: ratio(latchkey, limit, 'cpuMicros'), most: 0.9 },
  ]);
  const turns = [...rounds.values()].flatMap(({ latchkey }) => latchkey);
  return [
    ...checks,
    { goal: 'statements a request', is: typical(turns, 'statements'), most: 1.001 },
    { goal: 'WAL bytes a check', is: typical(turns, 'walBytesOfReads'), most: 0 },
  ];
}

/** All are started before the first round, so that each round finds them warm; those that wait cost nothing. */
async function startAll(contenders, sizes, report) {
  const servers = [];
  for (const entry of contenders) {
    report(`warming up ${entry.name}`);
    const server = await Server.start(entry);
    const cookies = cookiesOf(entry.contender, { last: sizes.sessions });
    await load({ url: server.url, cookies, connections: 16, seconds: sizes.warmUpSeconds });
    servers.push({ name: entry.name, server, cookies });
  }
  return servers;
}

const HEAD = [
  'contender',
  'requests/s',
  'to limit',
  'p50 ms',
  'p99 ms',
  'CPU µs app',
  'PostgreSQL',
  'to limit',
  'client',
  'statements',
  'WAL bytes',
  'memory MB',
];

function row(name, turns, memory) {
  const own = turns[name];
  return [
    name,
    typical(own, 'perSecond').toFixed(0),
    ratio(own, turns.limit, 'perSecond').toFixed(2),
    typical(own, 'p50').toFixed(2),
    typical(own, 'p99').toFixed(2),
    typical(own, 'appMicros').toFixed(0),
    typical(own, 'postgresMicros').toFixed(0),
    ratio(own, turns.limit, 'cpuMicros').toFixed(2),
    typical(own, 'clientMicros').toFixed(0),
    typical(own, 'statements').toFixed(2),
    typical(own, 'walBytes').toFixed(1),
    (memory[name] / 1024 ** 2).toFixed(0),
  ];
}

function percent(part) {
  return `${(part * 100).toFixed(0)} %`;
}
