import { networkInterfaces } from 'node:os';
import type { Environment } from '../../config/environment.js';
import type { Finding } from '../../config/preflight/finding.js';
import { addressOfNode } from '../../http/forwarded-node.js';
import { signedQuestion } from '../../secrets/operator-question.js';
import { ask } from './ask.js';
import { error, warning } from './found.js';

/** An address that no client calls from (RFC 2544). */
const FORGED_ADDRESS = '198.18.0.1';

/** Bytes of a body that the service takes. */
const BODY_BYTES = 64 * 1024;

/** Enough to come by each of a few replicas. */
const PROBES = 20;

/** A cache may keep an answer only once it was asked for again. */
const REPETITIONS = 3;

/** How a request arrived at the service, as the service tells it. */
interface Arrival {
  peer: string;
  is_peer_named: boolean;
  forwarded_for: string | null;
  silent_proxy: string | null;
  address: string | null;
}

/** What stands between the service and its clients: what it says of them, and what it does to their requests. */
export async function examineProxy(address: string, environment: Environment): Promise<Finding[]> {
  const findings = await Promise.all([
    examineArrival(address, environment),
    examineCaching(address),
    examineBodyLimit(address),
    examineReplicas(address),
  ]);
  return findings.flat();
}

async function examineArrival(address: string, environment: Environment): Promise<Finding[]> {
  const arrival = await arrivalAt(address, environment);
  if (arrival === null)
    return [
      warning(
        'CONNECTION_UNKNOWN',
        'The service does not tell how this request arrived: whether it knows its proxies was not examined.',
        'Examine with the SVC_JWT_SECRET_KEY of that deployment, and with its version.',
      ),
    ];
  const forged = await arrivalAt(address, environment, { 'x-forwarded-for': FORGED_ADDRESS });
  return [...judgeArrival(arrival, address), ...(forged === null ? [] : judgeForged(forged))];
}

/** Returns null where the service does not know the secret of this configuration, or is an earlier version. */
async function arrivalAt(
  address: string,
  { jwtSecretKey }: Environment,
  headers: Record<string, string> = {},
): Promise<Arrival | null> {
  const { isOk, text } = await ask(address, '/system/connection', {
    headers: { authorization: `Bearer ${signedQuestion(jwtSecretKey)}`, ...headers },
  });
  return isOk ? JSON.parse(text) : null;
}

function judgeArrival(arrival: Arrival, address: string): Finding[] {
  // The service speaks plain HTTP: what takes HTTPS is a proxy.
  const isProxied = arrival.forwarded_for !== null || address.startsWith('https:');
  if (!isProxied) return [];
  if (!arrival.is_peer_named)
    return [
      error(
        'PROXY_UNNAMED',
        `The proxy ${arrival.peer} is not named in SVC_TRUSTED_PROXIES: all clients count as one, and share their limits.`,
        'Name the address, or the block that the proxy has its address from.',
      ),
    ];
  if (arrival.forwarded_for === null)
    return [
      error(
        'FORWARDED_FOR_MISSING',
        `The proxy ${arrival.peer} sends no X-Forwarded-For: all clients count as one, and share their limits.`,
        'Have it send the address of its client in X-Forwarded-For.',
      ),
    ];
  if (arrival.silent_proxy !== null)
    return [
      error(
        'FORWARDED_FOR_UNREADABLE',
        `The proxy ${arrival.silent_proxy} sends an X-Forwarded-For that ends with no address: all its clients count as one.`,
        'Have it send the address of its client, with or without a port.',
      ),
    ];
  return [];
}

/** On the machine of the proxy the doctor itself is a peer that is believed, as no client elsewhere is. */
function judgeForged({ address, forwarded_for }: Arrival): Finding[] {
  if (address !== FORGED_ADDRESS) return [];
  const elements = (forwarded_for ?? '').split(',').map((element) => element.trim());
  const sender = elements[elements.indexOf(FORGED_ADDRESS) + 1];
  if (sender !== undefined && isThisMachine(addressOfNode(sender))) return [];
  return [
    error(
      'FORWARDED_FOR_BELIEVED',
      'Any client can claim any address, and so evade every limit.',
      'Name only the proxies in SVC_TRUSTED_PROXIES, and let them replace X-Forwarded-For or add to it.',
    ),
  ];
}

function isThisMachine(address: string | null): boolean {
  const own = Object.values(networkInterfaces()).flatMap((each) => each?.map((one) => one.address) ?? []);
  return address !== null && own.includes(address.replace(/^::ffff:/, ''));
}

/** The service gives each answer an id of its own. */
async function examineCaching(address: string): Promise<Finding[]> {
  const ids: (string | null)[] = [];
  for (let repetition = 0; repetition < REPETITIONS; repetition++)
    ids.push((await ask(address, '/auth/methods')).headers.get('x-request-id'));
  const given = ids.filter((id) => id !== null);
  if (new Set(given).size === given.length) return [];
  return [
    error(
      'ANSWERS_CACHED',
      'A proxy answers with an answer that it has kept: one user may get what is for another.',
      'Have it keep no answer of the service, as Cache-Control: no-store says.',
    ),
  ];
}

async function examineBodyLimit(address: string): Promise<Finding[]> {
  const frame = JSON.stringify({ token: '' }).length;
  const body = JSON.stringify({ token: 'a'.repeat(BODY_BYTES - frame) });
  const answer = await ask(address, '/invitations/preview', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    // What refuses a body before it has read all of it may close the connection.
  }).catch(() => null);
  if (answer !== null && answer.status !== 413) return [];
  return [
    error(
      'BODY_LIMIT_LOW',
      'A proxy refuses bodies of 64 KiB, which the service takes.',
      'Raise its limit to 64 KiB at least, or to 256 KiB where Stripe sends events.',
    ),
  ];
}

/** Where a replica is down, the proxy may send it every other request. */
async function examineReplicas(address: string): Promise<Finding[]> {
  const statuses: number[] = [];
  for (let probe = 0; probe < PROBES; probe++) statuses.push((await ask(address, '/health/ready')).status);
  const failed = statuses.filter((status) => status !== 200);
  // Where all fail, that is NOT_READY.
  if (failed.length === 0 || failed.length === PROBES) return [];
  return [
    error(
      'REPLICA_FAILS',
      `Of ${PROBES} requests for /health/ready some were answered ${[...new Set(failed)].join(', ')}: a replica is down.`,
      'Start it again, or take it out of the proxy; docs/deploy/nginx.conf has a proxy ask the next one.',
    ),
  ];
}
