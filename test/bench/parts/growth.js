import * as contender from '../contenders/latchkey.js';
import { cookiesOf } from '../contenders.js';
import { load } from '../load.js';
import { measureLoad } from '../measure-load.js';
import { align } from '../report/align.js';
import { inRounds, ratio, typical } from '../rounds.js';
import { Server } from '../server.js';

/** Latchkey's check with few and with many sessions in the table, in alternated rounds. */
export async function measure({ postgres, sizes, report }) {
  const servers = [];
  for (const sessions of sizes.growth) {
    report(`seeding ${sessions} sessions`);
    const users = Math.min(sizes.users, sessions);
    const database = await postgres.createDatabase(`latchkey_${sessions}`, (empty) =>
      contender.seed(empty, { users, sessions }),
    );
    const server = await Server.start({ name: 'latchkey', contender, database });
    const cookies = cookiesOf(contender, { last: sessions });
    await load({ url: server.url, cookies, connections: 16, seconds: sizes.warmUpSeconds });
    servers.push({ name: sessions, server, cookies });
  }

  const rounds = await inRounds(servers, sizes.rounds, async ({ name, server, cookies }, round) => {
    report(`${name} sessions, round ${round} of ${sizes.rounds}`);
    return measureLoad({ postgres, server, cookies, connections: 16, seconds: sizes.roundSeconds });
  });
  for (const { server } of servers) await server.stop();
  return rounds;
}

export function linesOf(turns) {
  const rows = Object.entries(turns).map(([sessions, own]) => [
    sessions,
    typical(own, 'perSecond').toFixed(0),
    typical(own, 'p99').toFixed(2),
    typical(own, 'cpuMicros').toFixed(0),
  ]);
  return [
    'The check, 16 at once, by sessions',
    ...align([['sessions', 'requests/s', 'p99 ms', 'CPU µs'], ...rows]),
    '',
  ];
}

export function goals(turns) {
  const [few, many] = Object.values(turns);
  return [{ goal: 'requests/s with many sessions, to few', is: ratio(many, few, 'perSecond'), least: 0.85 }];
}
