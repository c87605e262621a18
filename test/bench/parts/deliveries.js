import { BackEnd, ENDPOINT, eventsTo, mailsTo } from '../back-end.js';
import * as contender from '../contenders/latchkey.js';
import { cookiesOf } from '../contenders.js';
import { PER_SECOND, paceFor } from '../paced-load.js';
import { cpuSeconds } from '../processes.js';
import { align } from '../report/align.js';
import { inRounds, ratio, typical } from '../rounds.js';
import { Server } from '../server.js';
import { percentile } from '../statistics.js';

/** A mail of usual length. */
const MAIL = {
  text: 'Your password was changed. '.repeat(20),
  html: '<p>Your password was changed.</p>'.repeat(60),
};

/** What puts so many rows into a queue at once, and wakes its worker. */
const QUEUES = {
  mails: `
    WITH mail AS (
      INSERT INTO outbox_mails (id, kind, recipient, subject, content)
      SELECT uuidv7(), 'password-changed', bench_email(n), 'Your password was changed', $2
        FROM generate_series(1, $1::int) n RETURNING 1
    ) SELECT pg_notify('outbox', '') FROM (SELECT count(*) FROM mail) written`,
  deliveries: `
    WITH delivery AS (
      INSERT INTO webhook_deliveries (id, event_id, endpoint)
      SELECT uuidv7(), id, $2 FROM audit_events ORDER BY id LIMIT $1::int RETURNING 1
    ) SELECT pg_notify('webhook_deliveries', '') FROM (SELECT count(*) FROM delivery) written`,
};

/** How fast deliveries leave beside mails, both to a stand-in, and the check at 200 a second while many leave. */
export async function measure({ postgres, sizes, report }) {
  const { burst } = sizes;
  const database = await postgres.createDatabase('latchkey_deliveries', (empty) => seed(empty, sizes));
  const backEnd = await BackEnd.start();
  const settings = { ...eventsTo(`${backEnd.url}/events`, ['*']), ...mailsTo(backEnd.url) };
  const server = await Server.start({ name: 'latchkey', contender, database }, settings);
  const content = { mails: await encrypted(MAIL), deliveries: ENDPOINT };

  const drain = async (queue, count) => {
    await postgres.run(database, 'TRUNCATE outbox_mails, webhook_deliveries');
    const arrived = backEnd.take(count);
    await postgres.run(database, QUEUES[queue], [count, content[queue]]);
    return arrived;
  };
  const timed = async (queue) => {
    const before = cpuSeconds(server.pid);
    const ms = await drain(queue, burst / 5);
    return {
      perSecond: (burst / 5 - 1) / (ms / 1000),
      appMs: ((cpuSeconds(server.pid) - before) * 1000) / (burst / 5),
    };
  };
  const queues = Object.keys(QUEUES).map((name) => ({ name }));
  for (const { name } of queues) await timed(name);
  const drained = await inRounds(queues, sizes.loginRounds, ({ name }, round) => {
    report(`${name}, round ${round} of ${sizes.loginRounds}`);
    return timed(name);
  });

  const cookies = cookiesOf(contender, { last: sizes.sessions });
  const turns = {
    quiet: () => paceFor(sizes.pacedSeconds, server, cookies),
    meanwhile: async () => {
      const drained = drain('deliveries', burst);
      const latencies = await paceFor(sizes.pacedSeconds, server, cookies);
      await drained;
      return latencies;
    },
  };
  const entries = Object.entries(turns).map(([name, turn]) => ({ name, turn }));
  const checks = await inRounds(entries, sizes.loginRounds, async ({ name, turn }, round) => {
    report(`the check and ${burst} deliveries, round ${round} of ${sizes.loginRounds}: ${name}`);
    const latencies = await turn();
    return { p50: percentile(latencies, 50), p99: percentile(latencies, 99) };
  });
  await server.stop();
  backEnd.stop();
  return { drained, checks, burst };
}

export function linesOf({ drained, checks, burst }) {
  const queues = Object.entries(drained).map(([name, own]) => [
    name,
    typical(own, 'perSecond').toFixed(0),
    ratio(own, drained.mails, 'perSecond').toFixed(2),
    typical(own, 'appMs').toFixed(2),
  ]);
  const latencies = Object.entries(checks).map(([name, own]) => [
    name,
    typical(own, 'p50').toFixed(2),
    typical(own, 'p99').toFixed(2),
  ]);
  return [
    'What leaves the service, to a stand-in that takes it at once',
    ...align([['', 'a second', 'ratio', 'CPU ms app'], ...queues]),
    '',
    `The check at ${PER_SECOND} a second, quiet and while ${burst} deliveries leave`,
    ...align([['', 'p50 ms', 'p99 ms'], ...latencies]),
    '',
  ];
}

export function goals({ drained, checks, burst }) {
  return [
    {
      goal: 'deliveries a second, to mails',
      is: ratio(drained.deliveries, drained.mails, 'perSecond'),
      least: 0.9,
    },
    {
      goal: `p99 of the check while ${burst} deliveries leave, to quiet`,
      is: ratio(checks.meanwhile, checks.quiet, 'p99'),
      most: 1.3,
    },
  ];
}

/** Users, sessions, and events that are links of a chain already, so that nothing but the deliveries is left to do. */
async function seed(database, { users, sessions, burst }) {
  await contender.seed(database, { users, sessions });
  await database.query(
    `INSERT INTO audit_events (id, type, user_id, chain_id, chain_position, chain_hash, details)
     SELECT uuidv7(), 'role.changed', bench_user_id(n % $2 + 1), bench_user_id(1), n, sha256(n::text::bytea),
            '{"from": "member", "to": "readonly"}'
       FROM generate_series(1, $1::int) n`,
    [burst, users],
  );
}

/** As the service encrypts what waits. */
async function encrypted(mail) {
  const { Encryption } = await import('../../../dist/src/secrets/encryption.js');
  return new Encryption([contender.SETTINGS.SVC_JWT_SECRET_KEY], 'mail').encrypt(JSON.stringify(mail));
}
