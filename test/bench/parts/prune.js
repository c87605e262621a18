import * as contender from '../contenders/latchkey.js';
import { cookiesOf } from '../contenders.js';
import { PER_SECOND, paceDuring, paceFor } from '../paced-load.js';
import { align } from '../report/align.js';
import { Server } from '../server.js';
import { longestExecution } from '../statements.js';
import { percentile } from '../statistics.js';

/** How many days ago the sessions of the two prunes expired, and what they are kept: the first prune spares the second's. */
const EXPIRED_DAYS = [60, 30];
const KEPT_DAYS = [45, 7];

/** Two prunes of one table, of which the second deletes half, and the check's latency at 200 a second meanwhile. */
export async function measure({ postgres, sizes, report }) {
  const [few, many] = sizes.prune;
  const sessions = 2 * many;
  report(`seeding ${sessions} sessions, ${few} and ${many} of them expired`);
  const database = await postgres.createDatabase('latchkey_prune', (empty) =>
    contender.seed(empty, { users: sizes.users, sessions, expiry: expiryOf(few, many) }),
  );
  const cookies = cookiesOf(contender, { first: few + many + 1, last: sessions });

  const runs = [];
  for (const keptDays of KEPT_DAYS) {
    const settings = { SVC_CRON_SESSION_RETENTION_DAYS: String(keptDays) };
    const server = await Server.start({ name: 'latchkey', contender, database }, settings);
    runs.push(await measureRun({ server, cookies, sizes, report }));
    await server.stop();
  }
  return { runs, longestBatchMs: await longestExecution(postgres, database, 'WITH batch') };
}

export function linesOf({ runs, longestBatchMs }) {
  const rows = runs.map(({ rows, ms, p99, quietP99 }) => [
    String(rows),
    String(ms),
    p99.toFixed(2),
    quietP99.toFixed(2),
  ]);
  return [
    `The prune, and the check at ${PER_SECOND} a second meanwhile; its longest batch took ${longestBatchMs.toFixed(1)} ms`,
    ...align([['rows', 'ms', 'p99 ms', 'quiet p99 ms'], ...rows]),
    '',
  ];
}

export function goals({ runs: [few, many], longestBatchMs }) {
  return [
    { goal: 'time of ten times the prune', is: many.ms / few.ms, most: 12 },
    { goal: 'longest batch of the prune, ms', is: longestBatchMs, most: 20 },
    { goal: 'p99 during the prune, to quiet', is: many.p99 / many.quietP99, most: 1.3 },
  ];
}

/** Oldest first, as they come to lie in a table, each expired at a time of its own. */
function expiryOf(few, many) {
  return `CASE WHEN n <= ${few} THEN now() - interval '${EXPIRED_DAYS[0]} days'
               WHEN n <= ${few + many} THEN now() - interval '${EXPIRED_DAYS[1]} days'
               ELSE now() + interval '1 day' END + n * interval '10 ms'`;
}

/** A prune between two quiet times. */
async function measureRun({ server, cookies, sizes, report }) {
  const quiet = () => paceFor(sizes.pacedSeconds, server, cookies);
  await quiet();

  const before = await quiet();
  report('pruning');
  const { latencies, result } = await paceDuring(() => pruneAll(server), server, cookies);
  report(`pruned ${result.rows} in ${result.ms} ms`);
  const after = await quiet();
  return { ...result, p99: percentile(latencies, 99), quietP99: percentile([...before, ...after], 99) };
}

/** Calls /cron until nothing is left: a run ends itself after a while. */
async function pruneAll(server) {
  const total = { rows: 0, ms: 0 };
  for (let isComplete = false; !isComplete; ) {
    const answer = await fetch(`${server.origin}/cron`, {
      method: 'POST',
      headers: { authorization: `Bearer ${contender.SETTINGS.SVC_CRON_SECRET}` },
    });
    const { pruned, complete, duration_ms } = await answer.json();
    total.rows += pruned.sessions;
    total.ms += duration_ms;
    isComplete = complete;
  }
  return total;
}
