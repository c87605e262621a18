import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import bcrypt from 'bcrypt';
import * as contender from '../contenders/latchkey.js';
import { CLIENTS, startLogins } from '../logins.js';
import { cpuSeconds } from '../processes.js';
import { align } from '../report/align.js';
import { RoundTrips } from '../round-trips.js';
import { inRounds, ratio, typical } from '../rounds.js';
import { Server } from '../server.js';
import { countStatements } from '../statements.js';

/** The default of SVC_BCRYPT_COST. */
const COST = 12;

/** The least, for what a login costs beside its hash: beside a quarter of a second nothing else could be measured. */
const LEAST_COST = 4;

/** The only environment that allows it; without its log, which is made pretty and costs more than that of the others. */
const CHEAP_HASHES = {
  SVC_ENVIRONMENT: 'dev',
  SVC_BASE_WEB_URL: 'http://localhost:5173',
  SVC_BASE_API_URL: 'http://localhost:3000',
  SVC_BCRYPT_COST: String(LEAST_COST),
  SVC_LOG_LEVEL: 'error',
};

/** More cheap logins in a round than dear ones take as long. */
const CHEAP_TIMES = 5;

const RAW_BCRYPT = join(import.meta.dirname, '..', 'raw-bcrypt.js');

/** Logins of Latchkey, and hashes of bcrypt alone, in alternated rounds: at the default cost, and at the least. */
export async function measure({ postgres, sizes, contenders, report }) {
  const latchkey = contenders.find(({ name }) => name === 'latchkey');
  const dear = await alternate({ postgres, entry: latchkey, sizes, cost: COST, clients: CLIENTS, report });

  const database = await postgres.createDatabase('latchkey_logins', (empty) =>
    contender.seed(empty, { users: sizes.users, sessions: 1, settings: CHEAP_HASHES }),
  );
  const cheap = await alternate({
    postgres,
    entry: { ...latchkey, database },
    settings: CHEAP_HASHES,
    sizes: { ...sizes, loginsPerRound: sizes.loginsPerRound * CHEAP_TIMES },
    cost: LEAST_COST,
    clients: 1,
    report,
  });
  return { dear, cheap, roundTrips: await countRoundTrips({ ...latchkey, database }, sizes) };
}

export function linesOf({ dear, cheap, roundTrips }) {
  return [
    `Logins, ${CLIENTS} at once; hashes at cost ${COST}`,
    ...align([HEAD, ...Object.entries(dear).map(row)]),
    '',
    `Logins, one after the other; hashes at cost ${LEAST_COST}; a login waits for PostgreSQL ${roundTrips.toFixed(1)} times`,
    ...align([HEAD, ...Object.entries(cheap).map(row)]),
    '',
  ];
}

export function goals({ dear, cheap: { latchkey, bcrypt }, roundTrips }) {
  const ofService = typical(latchkey, 'appMs') - typical(bcrypt, 'appMs');
  return [
    { goal: "logins/s, to bcrypt's", is: ratio(dear.latchkey, dear.bcrypt, 'perSecond'), least: 0.98 },
    { goal: 'CPU of a login beside its hash, ms', is: ofService, most: 3 },
    { goal: "the same with PostgreSQL's, ms", is: ofService + typical(latchkey, 'postgresMs'), most: 3 },
    { goal: 'round trips of a login', is: roundTrips, most: 10 },
  ];
}

const HEAD = ['', 'logins/s', 'CPU ms app', 'PostgreSQL', 'statements'];

function row([name, own]) {
  return [
    name,
    typical(own, 'perSecond').toFixed(1),
    typical(own, 'appMs').toFixed(2),
    typical(own, 'postgresMs').toFixed(2),
    typical(own, 'statements').toFixed(1),
  ];
}

async function alternate({ postgres, entry, settings, sizes, cost, clients, report }) {
  const server = await Server.start(entry, settings);
  const hash = await bcrypt.hash('another', cost);
  const turns = {
    latchkey: () => logIn({ postgres, server, sizes, clients }),
    bcrypt: () => compareRaw(hash, sizes.loginsPerRound, Math.min(clients, availableParallelism())),
  };
  await turns.latchkey();

  const entries = Object.entries(turns).map(([name, turn]) => ({ name, turn }));
  const rounds = await inRounds(entries, sizes.loginRounds, ({ name, turn }, round) => {
    report(`logins at cost ${cost}, round ${round} of ${sizes.loginRounds}: ${name}`);
    return turn();
  });
  await server.stop();
  return rounds;
}

async function logIn({ postgres, server, sizes: { users, loginsPerRound }, clients }) {
  const before = await costs(postgres, server);
  const { startedAt, answeredAt, count } = await startLogins({
    server,
    users,
    clients,
    amount: loginsPerRound,
  }).done;
  const after = await costs(postgres, server);
  const perLogin = (cost) => (after[cost] - before[cost]) / count;
  return {
    perSecond: (count * 1000) / (answeredAt - startedAt),
    appMs: perLogin('appSeconds') * 1000,
    postgresMs: perLogin('postgresSeconds') * 1000,
    statements: perLogin('statements'),
  };
}

async function costs(postgres, { pid, database }) {
  return {
    appSeconds: cpuSeconds(pid),
    postgresSeconds: cpuSeconds(postgres.pid),
    ...(await countStatements(postgres, database)),
  };
}

async function compareRaw(hash, times, atOnce) {
  const { stdout } = await promisify(execFile)(process.execPath, [RAW_BCRYPT, hash, times, atOnce]);
  const { ms, cpuSeconds } = JSON.parse(stdout);
  return {
    perSecond: (times * 1000) / ms,
    appMs: (cpuSeconds * 1000) / times,
    postgresMs: 0,
    statements: 0,
  };
}

/** How often a login waits for PostgreSQL, where it does so one after the other. */
async function countRoundTrips(entry, { users }) {
  const trips = await RoundTrips.to(entry.database);
  const server = await Server.start({ ...entry, database: trips.database }, CHEAP_HASHES);
  const logIn = (amount) => startLogins({ server, users, clients: 1, amount }).done;
  await logIn(20);

  const before = trips.count;
  const { count } = await logIn(50);
  const roundTrips = (trips.count - before) / count;
  await server.stop();
  trips.close();
  return roundTrips;
}
