import { cookiesOf } from '../contenders.js';
import { load } from '../load.js';
import { measureLoad } from '../measure-load.js';
import { residentBytes } from '../processes.js';
import { align } from '../report/align.js';
import { inRounds, ratio, spread, typical } from '../rounds.js';
import { Server } from '../server.js';

const CONNECTIONS = [1, 16, 64];
const LIMIT = 'limit';
const LATCHKEY = 'latchkey';

/** The requests a second that Latchkey is to reach, in parts of the limit's, by connections. */
const LEAST = { 1: 0.9, 16: 1.2, 64: 1.3 };

/**
 * Every contender's check of a session, and the memory that each holds afterwards. The limit and Latchkey have a turn
 * beside each one of a peer, as a busy machine is another one a few seconds later.
 */
export async function measure({ postgres, sizes, contenders, report }) {
  const servers = await startAll(contenders, sizes, report);
  const pair = [LIMIT, LATCHKEY].map((name) => servers.find((each) => each.name === name));
  const peers = servers.filter((each) => !pair.includes(each));
  const found = new Map();
  for (const connections of CONNECTIONS) {
    const turns = {};
    for (const peer of peers) {
      const turn = ({ name, server, cookies }, round) => {
        report(
          `${connections} at once, beside ${peer.name}, round ${round} of ${sizes.checkRounds}: ${name}`,
        );
        return measureLoad({ postgres, server, cookies, connections, seconds: sizes.roundSeconds });
      };
      const beside = await inRounds([...pair, peer], sizes.checkRounds, turn);
      for (const { name } of [...pair, peer]) {
        turns[name] ??= { own: [], limit: [], latchkey: [] };
        turns[name].own.push(...beside[name]);
        turns[name].limit.push(...beside[LIMIT]);
        turns[name].latchkey.push(...beside[LATCHKEY]);
      }
    }
    found.set(connections, turns);
  }

  const memory = Object.fromEntries(servers.map(({ name, server }) => [name, residentBytes(server.pid)]));
  for (const { server } of servers) await server.stop();
  return { found, memory };
}

/** The median of a contender's figure relative to the limit's, turn by turn. */
function toLimit({ own, limit }, figure) {
  return ratio(own, limit, figure);
}

/** How many times as many requests Latchkey answers as a contender, turn by turn. */
function factor({ own, latchkey }) {
  return ratio(latchkey, own, 'perSecond');
}

/** A table for each number of connections. */
export function linesOf({ found, memory }) {
  return [...found].flatMap(([connections, turns]) => [
    `Session check, ${connections} at once (the limit's own turns: ± ${percent(spread(turns[LIMIT].own, 'perSecond'))})`,
    ...align([HEAD, ...Object.keys(turns).map((name) => row(name, turns, memory))]),
    '',
  ]);
}

export function goals({ found }) {
  const checks = [...found].flatMap(([connections, { [LATCHKEY]: latchkey }]) => [
    {
      goal: `requests/s, ${connections} at once`,
      is: toLimit(latchkey, 'perSecond'),
      least: LEAST[connections],
    },
    { goal: `p99, ${connections} at once`, is: toLimit(latchkey, 'p99'), most: 1.1 },
    {
      goal: `CPU of the service a request, ${connections} at once`,
      is: toLimit(latchkey, 'appMicros'),
      most: 1.15,
    },
    { goal: `all CPU a request, ${connections} at once`, is: toLimit(latchkey, 'cpuMicros'), most: 0.9 },
  ]);
  const turns = [...found.values()].flatMap(({ [LATCHKEY]: { own } }) => own);
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
  'latchkey is',
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
  const { own } = turns[name];
  return [
    name,
    typical(own, 'perSecond').toFixed(0),
    toLimit(turns[name], 'perSecond').toFixed(2),
    `${factor(turns[name]).toFixed(2)} ×`,
    typical(own, 'p50').toFixed(2),
    typical(own, 'p99').toFixed(2),
    typical(own, 'appMicros').toFixed(0),
    typical(own, 'postgresMicros').toFixed(0),
    toLimit(turns[name], 'cpuMicros').toFixed(2),
    typical(own, 'clientMicros').toFixed(0),
    typical(own, 'statements').toFixed(2),
    typical(own, 'walBytes').toFixed(1),
    (memory[name] / 1024 ** 2).toFixed(0),
  ];
}

function percent(part) {
  return `${(part * 100).toFixed(0)} %`;
}
