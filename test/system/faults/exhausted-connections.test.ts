import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestDatabase } from '../../support/test-database.js';
import { PostgresServer } from './postgres-server.js';
import { RECOVERY_LIMIT_MS, Scene, SOUND } from './scene.js';

const ROUNDS = 2;
const EXHAUSTED_MS = 5_000;

const ROLE = 'service';

let server: PostgresServer;
let scene: Scene;
beforeAll(async () => {
  server = await PostgresServer.create();
  await server.start();
  const database = TestDatabase.at(server.url);
  // A superuser, as the tests are, has no limit.
  await database.rows(`CREATE ROLE ${ROLE} LOGIN PASSWORD '${ROLE}'`);
  await database.rows(`ALTER DATABASE ${database.name} OWNER TO ${ROLE}`);
  const through = Object.assign(new URL(server.url), { username: ROLE, password: ROLE }).href;
  scene = await Scene.set({ database, through });
});
afterAll(async () => {
  await scene.close();
  await server.remove();
});

/** Leaves the service so many connections, none of those it has. */
async function allow(connections: number): Promise<void> {
  await scene.database.rows(`ALTER ROLE ${ROLE} CONNECTION LIMIT ${connections}`);
  await scene.database.rows(
    `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE usename = '${ROLE}'`,
  );
}

describe('a service that runs out of connections', () => {
  it.each([0, 3])('and has %d left answers 503 for a while, and then recovers', async (left) => {
    await scene.play(async ({ ledger }) => {
      for (let round = 1; round <= ROUNDS; round++) {
        await ledger.during(async () => {
          await allow(left);
          await setTimeout(EXHAUSTED_MS);
          await scene.database.rows(`ALTER ROLE ${ROLE} CONNECTION LIMIT -1`);
        });
        scene.print(`${round} times exhausted`);
        await setTimeout(RECOVERY_LIMIT_MS);
      }
    });

    expect(await scene.verdict(`connections exhausted but for ${left}, × ${ROUNDS}`)).toEqual(SOUND);
    expect(scene.ledger.unavailable).toBeGreaterThan(ROUNDS);
    expect(scene.ledger.cut).toBe(0);
  });
});
