import { once } from 'node:events';
import autocannon from 'autocannon';
import { PASSWORD } from './contenders/latchkey.js';
import { email } from './seeds.js';

/** Clients that log in at once. */
export const CLIENTS = 8;

/** Logins of ever other users, so many at once, until `amount` are done or, without one, until `stop` is called. */
export function startLogins({ server, users, amount, clients = CLIENTS }) {
  let last = Math.floor(Math.random() * users);
  const nextLogin = () => {
    last = (last % users) + 1;
    return JSON.stringify({ email: email(last), password: PASSWORD });
  };

  const logins = autocannon({
    url: `${server.origin}/auth/login`,
    connections: clients,
    ...(amount === undefined ? { duration: 3_600 } : { amount }),
    requests: [
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        setupRequest: (request) => ({ ...request, body: nextLogin() }),
      },
    ],
  });
  return { stop: () => logins.stop(), done: finish(logins) };
}

/**
 * Resolves once the service is done with the logins that a client gave up: it hashes one after the other, and this one
 * comes last.
 */
export async function untilIdle(server) {
  const body = JSON.stringify({ email: email(1), password: PASSWORD });
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(`${server.origin}/auth/login`, { method: 'POST', headers, body });
  if (status !== 200) throw new Error(`a login was answered ${status}`);
}

/** When the first login was sent, and the last one answered; autocannon itself notices it up to a second later. */
async function finish(logins) {
  let startedAt = 0;
  let answeredAt = 0;
  logins.on('start', () => {
    startedAt = performance.now();
  });
  logins.on('response', (_client, status) => {
    if (status !== 200) throw new Error(`a login was answered ${status}`);
    answeredAt = performance.now();
  });
  const [result] = await once(logins, 'done');
  return { startedAt, answeredAt, count: result['2xx'] };
}
