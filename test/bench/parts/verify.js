import { generateKeyPairSync } from 'node:crypto';
import { BackEnd } from '../back-end.js';
import { cookiesOf } from '../contenders.js';
import { load } from '../load.js';
import { measureLoad } from '../measure-load.js';
import { HAS_NGINX, Nginx } from '../nginx.js';
import { align } from '../report/align.js';
import { inRounds, ratio, typical } from '../rounds.js';
import { Server } from '../server.js';

const AUDIENCE = 'reports';

/** What is asked, by name, and at how many connections; the first is what the others are compared with. */
const ASKED = {
  'GET /users/me': { path: '/users/me', connections: [1, 16, 64] },
  verify: { path: '/sessions/verify?min_role=member', connections: [1, 16, 64] },
  'verify with an assertion': { path: `/sessions/verify?audience=${AUDIENCE}`, connections: [16] },
  'POST /sessions/token': { path: '/sessions/token', body: { audience: AUDIENCE }, connections: [16] },
};
const REFERENCE = 'GET /users/me';

/** What nginx is asked: for what it passes on at once, and for what it asks the service about first. */
const OPEN = '/open/';
const CHECKED = '/v1/';
const NGINX_CONNECTIONS = 16;

/** The back end that the goals are about. One that answers at once shows the check itself. */
const READS = 'reads a row';

/** What a proxy's question costs, beside GET /users/me: in alternated rounds on one process. */
export async function measure({ postgres, sizes, contenders, report }) {
  const latchkey = contenders.find(({ name }) => name === 'latchkey');
  const server = await Server.start(latchkey, { SVC_TOKEN_KEYS: newKey(), SVC_TOKEN_AUDIENCES: AUDIENCE });
  const cookies = cookiesOf(server.contender, { last: sizes.sessions });
  const { pid, database } = server;
  const turn = (connections) => (entry, round) => {
    report(`${connections} at once, round ${round} of ${sizes.rounds}: ${entry.name}`);
    return measureLoad({ postgres, server: entry.server, cookies, connections, seconds: sizes.roundSeconds });
  };
  const alternate = async (entries, connections) => {
    for (const {
      server: { url, body },
    } of entries)
      await load({ url, body, cookies, connections, seconds: sizes.warmUpSeconds });
    return inRounds(entries, sizes.rounds, turn(connections));
  };

  const turnsOf = new Map();
  for (const connections of ASKED[REFERENCE].connections) {
    const entries = Object.entries(ASKED)
      .filter(([, asked]) => asked.connections.includes(connections))
      .map(([name, { path, body }]) => ({
        name,
        server: { name, pid, database, url: server.origin + path, body },
      }));
    turnsOf.set(connections, await alternate(entries, connections));
  }
  const nginx = [];
  if (HAS_NGINX) {
    const reads = await Server.start(contenders.find(({ name }) => name === 'limit'));
    const answersAtOnce = await BackEnd.start();
    for (const [what, backEnd] of [
      [READS, reads],
      ['answers at once', { origin: answersAtOnce.url }],
    ])
      nginx.push({ what, turns: await behindNginx(server, backEnd, alternate) });
    answersAtOnce.stop();
    await reads.stop();
  }
  await server.stop();
  return { turnsOf, nginx };
}

export function linesOf({ turnsOf, nginx }) {
  const tables = [...turnsOf].map(([connections, turns]) => [
    `Verification for back ends, ${connections} at once`,
    turns,
    REFERENCE,
  ]);
  for (const { what, turns } of nginx)
    tables.push([`A back end that ${what}, behind nginx, ${NGINX_CONNECTIONS} at once`, turns, OPEN]);
  const lines = tables.flatMap(([title, turns, reference]) => [
    title,
    ...align([HEAD, ...Object.entries(turns).map(([name, own]) => row(name, own, turns[reference]))]),
    '',
  ]);
  return nginx.length > 0
    ? lines
    : [...lines, 'nginx is not installed, so that no back end behind it was measured.', ''];
}

export function goals({ turnsOf, nginx }) {
  const checks = [...turnsOf].flatMap(([connections, { [REFERENCE]: me, verify }]) => [
    { goal: `verify, requests/s, ${connections} at once`, is: ratio(verify, me, 'perSecond'), least: 0.97 },
    { goal: `verify, statements, ${connections} at once`, is: typical(verify, 'statements'), most: 1.001 },
  ]);
  const turns = turnsOf.get(16);
  const toReference = (name) => ratio(turns[name], turns[REFERENCE], 'perSecond');
  return [
    ...checks,
    {
      goal: 'verify with an assertion, requests/s',
      is: toReference('verify with an assertion'),
      least: 0.55,
    },
    { goal: 'POST /sessions/token, requests/s', is: toReference('POST /sessions/token'), least: 0.45 },
    ...nginx.filter(({ what }) => what === READS).flatMap(({ turns }) => goalsOfNginx(turns)),
  ];
}

function goalsOfNginx({ [OPEN]: open, [CHECKED]: checked }) {
  return [
    { goal: 'behind nginx with the check, requests/s', is: ratio(checked, open, 'perSecond'), least: 0.45 },
    { goal: 'behind nginx with the check, p99', is: ratio(checked, open, 'p99'), most: 3 },
  ];
}

const HEAD = ['', 'requests/s', 'ratio', 'CPU µs app', 'p99 ms', 'statements'];

function row(name, own, reference) {
  return [
    name,
    typical(own, 'perSecond').toFixed(0),
    ratio(own, reference, 'perSecond').toFixed(2),
    typical(own, 'appMicros').toFixed(0),
    typical(own, 'p99').toFixed(2),
    typical(own, 'statements').toFixed(2),
  ];
}

async function behindNginx(server, backEnd, alternate) {
  const nginx = await Nginx.inFrontOf(server, backEnd);
  const { pid, database } = server;
  const entries = [OPEN, CHECKED].map((path) => ({
    name: path,
    server: { name: path, pid, database, url: nginx.origin + path },
  }));
  return alternate(entries, NGINX_CONNECTIONS).finally(() => nginx.stop());
}

/** A key as `token-key` prints it. */
function newKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}
