import { cookiesOf } from '../contenders.js';
import { load } from '../load.js';
import { measureLoad } from '../measure-load.js';
import { align } from '../report/align.js';
import { inRounds, ratio, typical } from '../rounds.js';
import { Server } from '../server.js';

const CONNECTIONS = [1, 16, 64];

/** What is asked, by name; the first is what the others are compared with. */
const PATHS = { me: '/users/me', verify: '/sessions/verify?min_role=member' };

/** What a proxy's question costs, beside GET /users/me: in alternated rounds on one process. */
export async function measure({ postgres, sizes, contenders, report }) {
  const server = await Server.start(contenders.find(({ name }) => name === 'latchkey'));
  const cookies = cookiesOf(server.contender, { last: sizes.sessions });
  const { pid, database } = server;
  const entries = Object.entries(PATHS).map(([name, path]) => ({
    name,
    server: { name, pid, database, url: server.origin + path },
  }));
  for (const { server } of entries)
    await load({ url: server.url, cookies, connections: 16, seconds: sizes.warmUpSeconds });

  const rounds = new Map();
  for (const connections of CONNECTIONS) {
    const turn = ({ name, server }, round) => {
      report(`${connections} at once, round ${round} of ${sizes.rounds}: ${name}`);
      return measureLoad({ postgres, server, cookies, connections, seconds: sizes.roundSeconds });
    };
    rounds.set(connections, await inRounds(entries, sizes.rounds, turn));
  }
  await server.stop();
  return { turnsOf: rounds };
}

export function linesOf({ turnsOf }) {
  return [...turnsOf].flatMap(([connections, turns]) => [
    `Verification for back ends, ${connections} at once`,
    ...align([
      ['', 'requests/s', 'to /users/me', 'CPU µs app', 'p99 ms', 'statements'],
      ...Object.entries(turns).map(([name, own]) => [
        PATHS[name],
        typical(own, 'perSecond').toFixed(0),
        ratio(own, turns.me, 'perSecond').toFixed(2),
        typical(own, 'appMicros').toFixed(0),
        typical(own, 'p99').toFixed(2),
        typical(own, 'statements').toFixed(2),
      ]),
    ]),
    '',
  ]);
}

export function goals({ turnsOf }) {
  return [...turnsOf].flatMap(([connections, { me, verify }]) => [
    { goal: `verify, requests/s, ${connections} at once`, is: ratio(verify, me, 'perSecond'), least: 0.97 },
    { goal: `verify, statements, ${connections} at once`, is: typical(verify, 'statements'), most: 1.001 },
  ]);
}
