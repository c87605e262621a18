import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestDatabase } from '../../support/test-database.js';
import { PostgresServer } from './postgres-server.js';
import { Scene, SOUND } from './scene.js';

const RESTARTS = 10;
const BETWEEN_RESTARTS_MS = 2_000;

let server: PostgresServer;
let scene: Scene;
beforeAll(async () => {
  server = await PostgresServer.create();
  await server.start();
  scene = await Scene.set({ database: TestDatabase.at(server.url) });
});
afterAll(async () => {
  await scene.close();
  await server.remove();
});

describe(`PostgreSQL ended at once and started again, ${RESTARTS} times`, () => {
  it('loses nothing that was acknowledged', async () => {
    await scene.play(async ({ ledger }) => {
      for (let restart = 1; restart <= RESTARTS; restart++) {
        await ledger.during(async () => {
          await server.crash();
          await server.start();
        });
        await setTimeout(BETWEEN_RESTARTS_MS);
        if (restart % 2 === 0) scene.print(`${restart} restarts`);
      }
    });

    expect(await scene.verdict(`immediate restart × ${RESTARTS}`)).toEqual(SOUND);
    expect(scene.ledger.cut).toBe(0);
  });
});
