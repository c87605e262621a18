import { load } from './load.js';
import { cpuSeconds, cpuSecondsWithoutRunning } from './processes.js';
import { countStatements } from './statements.js';

/** A load on a server, and what a request of it costs: CPU of the server, of PostgreSQL and of the client in microseconds, statements, WAL in bytes. */
export async function measureLoad({ postgres, server, cookies, connections, seconds }) {
  const before = await costs(postgres, server);
  const {
    requests,
    seconds: took,
    errors,
    p50,
    p99,
  } = await load({ url: server.url, cookies, connections, seconds, body: server.body });
  const after = await costs(postgres, server);
  if (errors > 0) throw new Error(`${server.name} failed ${errors} of ${requests} requests`);

  // Each connection has sent one more, whose answer came too late to count.
  const perRequest = (cost) => (after[cost] - before[cost]) / (requests + connections);
  return {
    perSecond: requests / took,
    p50,
    p99,
    appMicros: perRequest('appSeconds') * 1e6,
    postgresMicros: perRequest('postgresSeconds') * 1e6,
    clientMicros: perRequest('clientSeconds') * 1e6,
    cpuMicros: (perRequest('appSeconds') + perRequest('postgresSeconds')) * 1e6,
    statements: perRequest('statements'),
    walBytes: perRequest('walBytes'),
    walBytesOfReads: perRequest('walBytesOfReads'),
  };
}

async function costs(postgres, { pid, database }) {
  return {
    appSeconds: cpuSeconds(pid),
    postgresSeconds: cpuSeconds(postgres.pid),
    clientSeconds: cpuSecondsWithoutRunning(process.pid),
    ...(await countStatements(postgres, database)),
  };
}
