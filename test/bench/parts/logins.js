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

/** The default of SVC_BCRYPT_COST. */
const COST = 12;

const RAW_BCRYPT = join(import.meta.dirname, '..', 'raw-bcrypt.js');

/** Logins a second, and CPU a login, of Latchkey and of bcrypt alone, in alternated rounds. */
export async function measure({ sizes, contenders, report }) {
  const server = await Server.start(contenders.find(({ name }) => name === 'latchkey'));
  const hash = await bcrypt.hash('another', COST);
  const turns = {
    latchkey: () => logIn(server, sizes),
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
    typical(own, 'cpuMs').toFixed(0),
  ]);
  return [`Logins, ${CLIENTS} at once`, ...align([['', 'logins/s', 'CPU ms'], ...rows]), ''];
}

export function goals({ latchkey, bcrypt }) {
  return [{ goal: "logins/s, to bcrypt's", is: ratio(latchkey, bcrypt, 'perSecond'), least: 0.95 }];
}

async function logIn(server, { users, loginsPerRound }) {
  const cpuBefore = cpuSeconds(server.pid);
  const { startedAt, answeredAt, count } = await startLogins({ server, users, amount: loginsPerRound }).done;
  return {
    perSecond: (count * 1000) / (answeredAt - startedAt),
    cpuMs: ((cpuSeconds(server.pid) - cpuBefore) * 1000) / count,
  };
}

async function compareRaw(hash, times) {
  const atOnce = Math.min(CLIENTS, availableParallelism());
  const { stdout } = await promisify(execFile)(process.execPath, [RAW_BCRYPT, hash, times, atOnce]);
  const { ms, cpuSeconds } = JSON.parse(stdout);
  return { perSecond: (times * 1000) / ms, cpuMs: (cpuSeconds * 1000) / times };
}
