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

const REFERENCE = 'GET /users/me';

/** What is asked, at how many connections, and which part of the reference's requests a second it is to reach. */
const ASKED = [
  { name: 'verify', path: '/sessions/verify?min_role=member', connections: [1, 16, 64], least: 0.97 },
  {
    name: 'verify with an assertion',
    path: `/sessions/verify?audience=${AUDIENCE}`,
    connections: [16],
    least: 0.55,
  },
  {
    name: 'POST /sessions/token',
    path: '/sessions/token',
    body: { audience: AUDIENCE },
    connections: [16],
    least: 0.45,
  },
];

/** What nginx is asked: for what it passes on at once, and for what it asks the service about first. */
const OPEN = '/open/';
const CHECKED = '/v1/';
const NGINX_CONNECTIONS = 16;

/** The back end that the goals are about. One that answers at once shows the check itself. */
const READS = 'reads a row';

/**
 * What a proxy's question costs, beside GET /users/me: in alternated rounds on one process. Each is compared with rounds
 * right beside its own, as a busy machine is another one a few seconds later.
 */
export async function measure({ postgres, sizes, contenders, report }) {
  const latchkey = contenders.find(({ name }) => name === 'latchkey');
  const server = await Server.start(latchkey, { SVC_TOKEN_KEYS: newKey(), SVC_TOKEN_AUDIENCES: AUDIENCE });
  const cookies = cookiesOf(server.contender, { last: sizes.sessions });
  const { pid, database } = server;
  // The ratios of single pairs of rounds were 0.84 to 1.28.
  const rounds = 2 * sizes.rounds;
  const turn = (connections) => (entry, round) => {
    report(`${connections} at once, round ${round} of ${rounds}: ${entry.name}`);
    return measureLoad({ postgres, server: entry.server, cookies, connections, seconds: sizes.roundSeconds });
  };
  const alternate = async (entries, connections) => {
    for (const {
      server: { url, body },
    } of entries)
      await load({ url, body, cookies, connections, seconds: sizes.warmUpSeconds });
    return inRounds(entries, rounds, turn(connections));
  };

  const compared = [];
  for (const { name, path, body, connections, least } of ASKED)
    for (const at of connections) {
      const entries = [
        { name: REFERENCE, server: { name: REFERENCE, pid, database, url: server.url } },
        { name, server: { name, pid, database, url: server.origin + path, body } },
      ];
      compared.push({ name, connections: at, least, turns: await alternate(entries, at) });
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
  return { compared, nginx };
}

export function linesOf({ compared, nginx }) {
  const tables = compared.map(({ name, connections, turns }) => [
    `For back ends: ${name}, ${connections} at once`,
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

export function goals({ compared, nginx }) {
  return [
    ...compared.map(({ name, connections, least, turns }) => ({
      goal: `${name}, requests/s, ${connections} at once`,
      is: ratio(turns[name], turns[REFERENCE], 'perSecond'),
      least,
    })),
    ...compared
      .filter(({ name }) => name === 'verify')
      .map(({ connections, turns: { verify } }) => ({
        goal: `verify, statements, ${connections} at once`,
        is: typical(verify, 'statements'),
        most: 1.001,
      })),
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
