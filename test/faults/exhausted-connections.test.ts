import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { onServer } from '../support/test-database.js';
import { Scene, SOUND } from './scene.js';

const ROUNDS = 3;
const EXHAUSTED_MS = 4_000;
const FREE_MS = 5_000;

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.set();
});
afterAll(() => scene.close());

const TERMINATE = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
   WHERE datname = current_database() AND application_name LIKE 'latchkey%'`;

describe('no connection to be had, because others have them all', () => {
  it('costs nobody more than a 503, and is over when they let go', async () => {
    await scene.play(async ({ ledger, database }) => {
      // The test's own connection is there already, and counts.
      const limit = (connections: number) =>
        onServer(`ALTER DATABASE ${database.name} CONNECTION LIMIT ${connections}`);
      for (let round = 1; round <= ROUNDS; round++) {
        scene.tell(`round ${round}`);
        await ledger.during(async () => {
          await limit(1);
          await database.rows(TERMINATE);
          await setTimeout(EXHAUSTED_MS);
          await limit(-1);
        });
        await setTimeout(FREE_MS);
      }
    });

    expect(await scene.verdict(`connections exhausted × ${ROUNDS}`)).toEqual(SOUND);
    expect(scene.ledger.unavailable).toBeGreaterThan(0);
    expect(scene.ledger.cut).toBe(0);
  });
});
