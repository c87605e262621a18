import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { loggedIn } from '../support/accounts.js';
import { Held } from '../support/lock-step.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';
import { onServer } from '../support/test-database.js';
import { itWhere } from '../support/where.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const me = (token: string) =>
  app.nest.inject({ url: '/users/me', headers: { cookie: `session_id=${token}` } });

/** The token of a fresh session, and the address of its user. */
async function session(): Promise<{ token: string; email: string }> {
  const { jar, email } = await loggedIn(app);
  return { token: jar.get('session_id') ?? '', email };
}

/** Locks under which the service cannot look a session up. */
const closed = () => Held.by(app.database, 'LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE', []);

/** Ends the connections of the service that wait for a lock, and returns their number. */
async function hangUpOnWaiting(): Promise<void> {
  await onServer(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                   WHERE datname = '${app.database.name}' AND wait_event_type = 'Lock'`);
}

describe('requests of the same moment', () => {
  it('are looked up together, and each gets its own session', async () => {
    const sessions = [await session(), await session(), await session()];
    const asked = [...sessions, ...sessions, ...sessions];

    let answers: Awaited<ReturnType<typeof me>>[] = [];
    const statements = await statementsDuring(async () => {
      answers = await Promise.all(asked.map(({ token }) => me(token)));
    });

    expect(answers.map((answer) => answer.json().user?.email)).toEqual(asked.map(({ email }) => email));
    expect(statements.length).toBeLessThan(asked.length);
  });

  it('are judged one by one: unknown, ended, expired and disabled among the active', async () => {
    const [active, ended, expired, disabled] = await Promise.all([
      session(),
      session(),
      session(),
      session(),
    ]);
    const ofSession = 'WHERE token_hash = sha256($1::bytea)';
    await app.database.rows(`UPDATE sessions SET invalidated_at = now() ${ofSession}`, [ended.token]);
    await app.database.rows(`UPDATE sessions SET expires_at = now() ${ofSession}`, [expired.token]);
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [disabled.email]);

    const tokens = ['unknown', active.token, ended.token, expired.token, active.token, disabled.token];
    const answers = await Promise.all(tokens.map(me));

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 200, 401, 401, 200, 401]);
  });

  it('do not see a session that one of them has just ended', async () => {
    const { token } = await session();
    const crowd = await session();
    const headers = { cookie: `session_id=${token}` };

    const around = Array.from({ length: 20 }, () => me(crowd.token));
    await app.nest.inject({ method: 'POST', url: '/auth/logout', headers });
    const [late, ...others] = await Promise.all([me(token), ...around, me(crowd.token)]);

    expect(late?.statusCode).toBe(401);
    expect(new Set(others.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });

  it('each get their own session also when they are more than one statement holds', async () => {
    const sessions = [await session(), await session(), await session()];
    const asked = Array.from({ length: 83 }, () => sessions).flat();

    const answers = await Promise.all(asked.map(({ token }) => me(token)));

    expect(answers.map((answer) => answer.json().user?.email)).toEqual(asked.map(({ email }) => email));
  });
});

describe('the instants of a session', () => {
  it.each(['Asia/Kolkata', 'America/St_Johns', 'UTC'])(
    'are right whatever the time zone of the database: %s',
    async (zone) => {
      const { token } = await session();
      const owner = new pg.Client({ connectionString: app.database.ownerUrl });
      await owner.connect();
      await owner.query(`ALTER DATABASE ${app.database.name} SET timezone = '${zone}'`);
      await owner.end();
      const other = await TestApp.start({}, { database: app.database });

      const answer = await other.nest.inject({
        url: '/users/me',
        headers: { cookie: `session_id=${token}` },
      });
      await other.nest.close();

      const { created_at, authenticated_at, last_seen_at, expires_at } = answer.json().session;
      const [row] = await app.database.rows(
        `SELECT created_at, authenticated_at, last_seen_at, expires_at FROM sessions WHERE token_hash = sha256($1::bytea)`,
        [token],
      );
      expect({ created_at, authenticated_at, last_seen_at, expires_at }).toEqual(
        JSON.parse(JSON.stringify(row)),
      );
    },
  );
});

describe('a connection that is lost under a lookup', () => {
  it('costs no caller the answer: the service looks the session up on another', async () => {
    const sessions = [await session(), await session(), await session()];
    const held = await closed();

    const answers = Promise.all(sessions.map(({ token }) => me(token)));
    await held.untilWaiting(1);
    await hangUpOnWaiting();
    await held.untilWaiting(1);
    await held.release();

    expect((await answers).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  });

  it('costs no caller of the statements behind the lookup the answer', async () => {
    const { token } = await session();
    const held = await closed();

    // More than three statements hold, so that on some of the three connections one waits behind another.
    const answers = Promise.all(Array.from({ length: 60 }, () => me(token)));
    await held.untilWaiting(3);
    await hangUpOnWaiting();
    await held.untilWaiting(3);
    await held.release();

    expect(new Set((await answers).map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });

  it('costs no caller behind a lookup that is cut off, and so not prepared, the answer', async () => {
    const { token } = await session();
    const other = await TestApp.start({}, { database: app.database });
    const held = await closed();

    // On each of its three connections, which have prepared nothing yet, one statement waits behind another.
    const headers = { cookie: `session_id=${token}` };
    const asked = Array.from({ length: 60 }, () => other.nest.inject({ url: '/users/me', headers }));
    await held.untilWaiting(3);
    await onServer(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
                     WHERE datname = '${app.database.name}' AND wait_event_type = 'Lock'`);
    await held.untilWaiting(1);
    await held.release();

    const statuses = (await Promise.all(asked)).map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([...Array(30).fill(200), ...Array(30).fill(503)]);
    await other.nest.close();
  });

  it('makes the service answer 503 when the next connection is lost too', async () => {
    const { token } = await session();
    const held = await closed();

    const answer = me(token);
    for (const _ of ['first', 'second']) {
      await held.untilWaiting(1);
      await hangUpOnWaiting();
    }
    expect((await answer).statusCode).toBe(503);
    await held.release();
    expect((await me(token)).statusCode).toBe(200);
  });
});

describe('a connection whose server process stalls', () => {
  // The process that a test stops must be on this machine.
  const onThisMachine = itWhere(process.env.SVC_TEST_DATABASE_URL === undefined);

  /** Has each connection opened, and returns the process of the first: of three lookups under a lock, each has its own. */
  async function openConnections(token: string): Promise<number> {
    const held = await closed();
    const answers = [me(token)];
    await held.untilWaiting(1);
    const first: number = await app.database.value(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    for (const waiting of [2, 3]) {
      answers.push(me(token));
      await held.untilWaiting(waiting);
    }
    await held.release();
    await Promise.all(answers);
    return first;
  }

  /** Lookups of one turn would share a statement, and a request takes some turns until it asks for its own. */
  async function someTurns(): Promise<void> {
    for (let turn = 0; turn < 50; turn++) await nextTurn();
  }

  onThisMachine('holds up only the lookup that it was sent, and answers it later', async () => {
    const { token } = await session();
    const pid = await openConnections(token);

    process.kill(pid, 'SIGSTOP');
    const stalled = me(token);
    try {
      await someTurns();
      // One after the other: where each connection waits for an answer, the next lookup may go behind the stalled one.
      for (const _ of ['second', 'third', 'fourth']) expect((await me(token)).statusCode).toBe(200);
    } finally {
      process.kill(pid, 'SIGCONT');
    }

    expect((await stalled).statusCode).toBe(200);
  });
});
