import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { BackEnd, eventsTo, mailsTo } from '../back-end.js';
import * as contender from '../contenders/latchkey.js';
import { cpuSeconds } from '../processes.js';
import { align } from '../report/align.js';
import { inRounds, ratio, typical } from '../rounds.js';
import { token } from '../seeds.js';
import { Server } from '../server.js';

/** Cheap hashes, so that what is measured shows beside them. */
const SETTINGS = {
  SVC_ENVIRONMENT: 'dev',
  SVC_RATE_LIMITS: 'off',
  SVC_BCRYPT_COST: '4',
  SVC_LOG_LEVEL: 'error',
};

/** What the endpoint is sent: everything but what happens at each login. */
const WANTED = ['account.*', 'email.*', 'member.*', 'org.*', 'role.*'];

/** How many mails and events wait. */
const LEFT = `
  SELECT ((SELECT count(*) FROM outbox_mails WHERE finished_at IS NULL)
        + (SELECT count(*) FROM webhook_deliveries WHERE finished_at IS NULL))::int AS left`;

const POLL_MS = 100;
const PATIENCE_MS = 60_000;

/** An organization with so many members, of whom the first is its ORG_ADMIN. */
const MEMBERS = 1_000;
const uuid = (n) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const ORG = uuid(0);
const member = (n) => (n % (MEMBERS - 1)) + 2;

/** What the n-th request of an act asks for, and the requests a second with an endpoint, as a part of those without. */
const ACTS = {
  signup: {
    ask: (n) => ({
      path: '/auth/signup',
      body: { email: `new${n}@example.com`, password: contender.PASSWORD },
    }),
    least: 0.97,
  },
  'role change': {
    ask: (n) => ({
      method: 'PATCH',
      path: `/orgs/${ORG}/members/${uuid(member(n))}`,
      body: { role: Math.floor(n / (MEMBERS - 1)) % 2 === 0 ? 'readonly' : 'member' },
    }),
    least: 0.97,
  },
  'login, which it does not want': {
    ask: (n) => ({
      path: '/auth/login',
      body: { email: `member${member(n)}@example.com`, password: contender.PASSWORD },
    }),
    least: 0.99,
  },
};

/** What acts cost where a back end is sent events, and where none is: one request after the other, in alternated rounds. */
export async function measure({ postgres, sizes, report }) {
  const backEnd = await BackEnd.start();
  const variants = { without: {}, with: eventsTo(`${backEnd.url}/events`, WANTED) };
  const servers = [];
  for (const [name, settings] of Object.entries(variants)) {
    const database = await postgres.createDatabase(`latchkey_events_${name}`, seed);
    const own = { ...SETTINGS, ...mailsTo(backEnd.url), ...settings };
    servers.push({
      name,
      server: await Server.start({ name: 'latchkey', contender, database }, own),
      asked: 0,
    });
  }

  const found = {};
  for (const [act, { ask }] of Object.entries(ACTS)) {
    const turn = async (entry, round) => {
      report(`${act}, round ${round} of ${sizes.actRounds}: ${entry.name} an endpoint`);
      const from = entry.asked;
      entry.asked += sizes.actsPerRound;
      const figures = await actAll({ postgres, server: entry.server, ask, from, until: entry.asked });
      await untilAllIsSent(postgres, entry.server);
      return figures;
    };
    for (const entry of servers) await turn(entry, 0);
    found[act] = await inRounds(servers, sizes.actRounds, turn);
  }
  for (const { server } of servers) await server.stop();
  backEnd.stop();
  return found;
}

export function linesOf(found) {
  const rows = Object.entries(found).flatMap(([act, turns]) =>
    Object.entries(turns).map(([name, own]) => [
      `${act}, ${name}`,
      typical(own, 'perSecond').toFixed(0),
      ratio(own, turns.without, 'perSecond').toFixed(2),
      typical(own, 'appMs').toFixed(2),
      typical(own, 'postgresMs').toFixed(2),
    ]),
  );
  const head = ['', 'requests/s', 'ratio', 'CPU ms app', 'PostgreSQL'];
  return ['Acts with and without an endpoint that is sent events', ...align([head, ...rows]), ''];
}

export function goals(found) {
  return Object.entries(ACTS).map(([act, { least }]) => ({
    goal: `${act}, with an endpoint, requests/s`,
    is: ratio(found[act].with, found[act].without, 'perSecond'),
    least,
  }));
}

/** While requests come, mails and events leave slowly. The rest would leave during the turn of the other server. */
async function untilAllIsSent(postgres, { database }) {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; ) {
    const [{ left }] = await postgres.run(database, LEFT);
    if (left === 0) return;
    await setTimeout(POLL_MS);
  }
  throw new Error('Mails and events that a turn has left do not leave.');
}

async function seed(database) {
  await contender.seed(database, { users: 1, sessions: 0, settings: SETTINGS });
  await database.query(`INSERT INTO organizations (id, name) VALUES ('${ORG}', 'Initech')`);
  await database.query(
    `WITH made AS (
       INSERT INTO users (id, email, name, email_verified_at, password_hash, password_changed_at)
       SELECT ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'member' || n || '@example.com', 'Ada', now(),
              password_hash, now()
         FROM users, generate_series(1, $1::int) n RETURNING id, email
     )
     INSERT INTO memberships (user_id, org_id, role, joined_by)
     SELECT id, '${ORG}', CASE email WHEN 'member1@example.com' THEN 'org_admin' ELSE 'member' END, 'invitation' FROM made`,
    [MEMBERS],
  );
  await database.query(
    `INSERT INTO sessions (id, user_id, token_hash, auth_method, expires_at)
     VALUES (uuidv7(), '${uuid(1)}', sha256(bench_token(1)::bytea), 'password', now() + '1 day')`,
  );
}

/** The requests from one number to another, one after the other. */
async function actAll({ postgres, server, ask, from, until }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const before = { app: cpuSeconds(server.pid), postgres: cpuSeconds(postgres.pid) };
  const startedAt = performance.now();
  for (let n = from; n < until; n++) await send(server, agent, ask(n));
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  const count = until - from;
  return {
    perSecond: count / seconds,
    appMs: ((cpuSeconds(server.pid) - before.app) * 1000) / count,
    postgresMs: ((cpuSeconds(postgres.pid) - before.postgres) * 1000) / count,
  };
}

function send({ origin }, agent, { method = 'POST', path, body }) {
  const headers = { 'content-type': 'application/json', cookie: contender.cookie(token(1)) };
  return new Promise((resolve, reject) => {
    request(origin + path, { method, agent, headers }, async (answer) => {
      const said = await text(answer);
      if (answer.statusCode >= 300) reject(new Error(`${path} was answered ${answer.statusCode}: ${said}`));
      resolve();
    })
      .on('error', reject)
      .end(JSON.stringify(body));
  });
}
