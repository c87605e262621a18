import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { crowd } from '../../support/crowd.js';
import { TestDatabase } from '../../support/test-database.js';
import { PostgresServer } from './postgres-server.js';
import { Scene, SOUND } from './scene.js';

const READ_ONLY_SECONDS = 10;

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

async function setReadOnly(isReadOnly: boolean): Promise<void> {
  await scene.database.rows(`ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly}`);
  await scene.database.rows('SELECT pg_reload_conf()');
}

describe(`a primary that only reads for ${READ_ONLY_SECONDS} seconds`, () => {
  it('makes the service answer writes with 503, and go on reading', async () => {
    const [reader] = await crowd(scene.database, 1);
    const headers = { cookie: reader?.cookie ?? '' };
    const reads: number[] = [];

    await scene.play(async ({ ledger, balancer }) => {
      await ledger.during(async () => {
        await setReadOnly(true);
        for (let second = 0; second < READ_ONLY_SECONDS; second++) {
          for (const path of ['/users/me', '/sessions', '/audit-events'])
            reads.push((await fetch(balancer.url + path, { headers })).status);
          await setTimeout(1_000);
        }
        await setReadOnly(false);
      });
    });

    await scene.database.rows('DELETE FROM users WHERE id = $1', [reader?.id]);
    expect(new Set(reads)).toEqual(new Set([200]));
    expect(await scene.verdict('read-only primary')).toEqual(SOUND);
    expect(scene.ledger.unavailable).toBeGreaterThan(READ_ONLY_SECONDS);
    expect(scene.ledger.cut).toBe(0);
  });
});
