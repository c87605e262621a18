import { setTimeout as sleep } from 'node:timers/promises';
import { load } from '../load.js';
import { token } from '../seeds.js';
import { Server } from '../server.js';
import { countStatements } from '../statements.js';

/** Longer than Latchkey gathers what it will write. */
const GATHERED_MS = 3_000;

/** How often Latchkey notes when a session was last seen, in seconds of requests without pause, after a minute without. */
export async function measure({ postgres, contenders, report }) {
  report('one session, seen again and again');
  const latchkey = contenders.find(({ name }) => name === 'latchkey');
  await postgres.run(
    latchkey.database,
    `UPDATE sessions SET last_seen_at = now() - interval '2 minutes' WHERE token_hash = sha256(bench_token(1)::bytea)`,
  );
  const server = await Server.start(latchkey);

  const before = await countStatements(postgres, latchkey.database);
  const cookies = [latchkey.contender.cookie(token(1))];
  const { requests } = await load({ url: server.url, cookies, connections: 16, seconds: 3 });
  await sleep(GATHERED_MS);
  const after = await countStatements(postgres, latchkey.database);

  await server.stop();
  return { requests, writes: after.writtenRows - before.writtenRows };
}

export function linesOf({ requests, writes }) {
  return [`Last seen: ${requests} requests of one session within 3 s wrote ${writes} row.`, ''];
}

export function goals({ writes }) {
  return [{ goal: 'writes a minute and session', is: writes, most: 1 }];
}
