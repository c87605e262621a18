import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Scene, SOUND } from './scene.js';

const SECONDS = 60;

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.set();
});
afterAll(() => scene.close());

const TERMINATE = `
  SELECT count(pg_terminate_backend(pid))::int FROM pg_stat_activity
   WHERE datname = current_database() AND application_name LIKE 'latchkey%'`;

describe(`all connections terminated each second for ${SECONDS} seconds`, () => {
  it('cause no answer worse than a 503', async () => {
    let terminated = 0;
    await scene.play(async ({ ledger, database }) => {
      for (let second = 1; second <= SECONDS; second++) {
        await ledger.during(async () => {
          terminated += await database.value(TERMINATE);
        });
        if (second % 10 === 0) scene.print(`${terminated} connections terminated`);
        await setTimeout(1_000);
      }
    });

    expect(terminated).toBeGreaterThan(SECONDS);
    expect(await scene.verdict(`${terminated} connections terminated`)).toEqual(SOUND);
    expect(scene.ledger.cut).toBe(0);
  });
});
