import { cookiesOf } from '../contenders.js';
import { startLogins, untilIdle } from '../logins.js';
import { PER_SECOND, paceFor } from '../paced-load.js';
import { align } from '../report/align.js';
import { inRounds, ratio, typical } from '../rounds.js';
import { Server } from '../server.js';
import { percentile } from '../statistics.js';

/** The latency of Latchkey's check at 200 a second, while no client and while eight clients at once log in. */
export async function measure({ sizes, contenders, report }) {
  const latchkey = contenders.find(({ name }) => name === 'latchkey');
  const server = await Server.start(latchkey);
  const cookies = cookiesOf(latchkey.contender, { last: sizes.sessions });
  await paceFor(sizes.pacedSeconds, server, cookies);

  const entries = [
    { name: 'idle', turn: () => paceFor(sizes.pacedSeconds, server, cookies) },
    { name: 'under logins', turn: () => amidLogins(server, cookies, sizes) },
  ];
  const rounds = await inRounds(entries, sizes.loginRounds, async ({ name, turn }, round) => {
    report(`${PER_SECOND} checks a second, round ${round} of ${sizes.loginRounds}: ${name}`);
    const latencies = await turn();
    return { p50: percentile(latencies, 50), p99: percentile(latencies, 99) };
  });
  await server.stop();
  return rounds;
}

export function linesOf(turns) {
  const rows = Object.entries(turns).map(([name, own]) => [
    name,
    typical(own, 'p50').toFixed(2),
    typical(own, 'p99').toFixed(2),
  ]);
  return [`The check at ${PER_SECOND} a second`, ...align([['', 'p50 ms', 'p99 ms'], ...rows]), ''];
}

export function goals({ idle, 'under logins': underLogins }) {
  return [
    { goal: 'p50 under logins, to idle', is: ratio(underLogins, idle, 'p50'), most: 1.2 },
    { goal: 'p99 under logins, to idle', is: ratio(underLogins, idle, 'p99'), most: 2 },
  ];
}

async function amidLogins(server, cookies, { users, pacedSeconds }) {
  const logins = startLogins({ server, users });
  const latencies = await paceFor(pacedSeconds, server, cookies);
  logins.stop();
  await logins.done;
  await untilIdle(server);
  return latencies;
}
