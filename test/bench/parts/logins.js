import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import bcrypt from 'bcrypt';
import { CLIENTS, startLogins } from '../logins.js';
import { cpuSeconds } from '../processes.js';
import { align } from '../report/align.js';
import { inRounds, ratio, typical } from '../rounds.js';
import { Server } from '../server.js';
import { countStatements } from '../statements.js';

/** The default of SVC_BCRYPT_COST. */
const COST = 12;

const RAW_BCRYPT = join(import.meta.dirname, '..', 'raw-bcrypt.js');

/** Logins a second, and CPU and statements a login, of Latchkey and of bcrypt alone, in alternated rounds. */
export async function measure({ postgres, sizes, contenders, report }) {
  const latchkey = contenders.find(({ name }) => name === 'latchkey');
  const server = await Server.start(latchkey);
  const hash = await bcrypt.hash('another', COST);
  const turns = {
    latchkey: () => logIn(postgres, server, sizes),
    bcrypt: () => compareRaw(hash, sizes.loginsPerRound),
  };

  const entries = Object.entries(turns).map(([name, turn]) => ({ name, turn }));
  const rounds = await inRounds(entries, sizes.loginRounds, ({ name, turn }, round) => {
    report(`logins, round ${round} of ${sizes.loginRounds}: ${name}`);
    return turn();
  });
  await server.stop();
  return rounds;
}

export function linesOf(turns) {
  const rows = Object.entries(turns).map(([name, own]) => [
    name,
    typical(own, 'perSecond').toFixed(1),
    typical(own, 'cpuMs').toFixed(1),
    typical(own, 'statements').toFixed(1),
  ]);
  return [`Logins, ${CLIENTS} at once`, ...align([['', 'logins/s', 'CPU ms', 'statements'], ...rows]), ''];
}

export function goals({ latchkey, bcrypt }) {
  const beside = typical(latchkey, 'cpuMs') - typical(bcrypt, 'cpuMs');
  return [
    { goal: "logins/s, to bcrypt's", is: ratio(latchkey, bcrypt, 'perSecond'), least: 0.98 },
    { goal: 'CPU of a login beside its hash, ms', is: beside, most: 3 },
    { goal: 'statements of a login, each a round trip', is: typical(latchkey, 'statements'), most: 6 },
  ];
}

async function logIn(postgres, server, { users, loginsPerRound }) {
  const cpuBefore = cpuSeconds(server.pid);
  const before = await countStatements(postgres, server.database);
  const { startedAt, answeredAt, count } = await startLogins({ server, users, amount: loginsPerRound }).done;
  const after = await countStatements(postgres, server.database);
  return {
    perSecond: (count * 1000) / (answeredAt - startedAt),
    cpuMs: ((cpuSeconds(server.pid) - cpuBefore) * 1000) / count,
    statements: (after.statements - before.statements) / count,
  };
}

async function compareRaw(hash, times) {
  const atOnce = Math.min(CLIENTS, availableParallelism());
  const { stdout } = await promisify(execFile)(process.execPath, [RAW_BCRYPT, hash, times, atOnce]);
  const { ms, cpuSeconds } = JSON.parse(stdout);
  return { perSecond: (times * 1000) / ms, cpuMs: (cpuSeconds * 1000) / times, statements: 0 };
}
