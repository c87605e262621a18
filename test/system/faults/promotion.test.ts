import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Forwarder } from '../../support/forwarder.js';
import { TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';
import { PostgresServer } from './postgres-server.js';
import { RECOVERY_LIMIT_MS, Scene, SOUND } from './scene.js';

const STANDBY = 'standby';

let primary: PostgresServer;
let standby: PostgresServer;
let forwarder: Forwarder;
let scene: Scene;
beforeAll(async () => {
  primary = await PostgresServer.create();
  standby = await primary.makeStandby(STANDBY);
  await Promise.all([primary.start(), standby.start()]);
  await waitForEachWrite(TestDatabase.at(primary.url));
  forwarder = await Forwarder.to(primary.port);
  const database = TestDatabase.at(forwarder.through(primary.url));
  scene = await Scene.set({ database });
});
afterAll(async () => {
  await scene.close();
  await forwarder.close();
  await Promise.all([primary.remove(), standby.remove()]);
});

/** Has the primary acknowledge nothing that the standby does not have. */
async function waitForEachWrite(database: TestDatabase): Promise<void> {
  await database.rows(`ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
  await database.rows('SELECT pg_reload_conf()');
  await until(() =>
    database.value(`SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')`),
  );
  await database.close();
}

describe('a primary that dies, and its standby that takes over', () => {
  it('keep everything that was acknowledged', async () => {
    await scene.play(async ({ ledger }) => {
      await setTimeout(RECOVERY_LIMIT_MS);
      scene.print(`${ledger.acknowledged.length} acknowledged writes before the promotion`);
      await ledger.during(async () => {
        await primary.crash();
        const follower = TestDatabase.at(standby.url);
        await follower.rows('SELECT pg_promote()');
        await follower.close();
        forwarder.switchTo(standby.port);
      });
      scene.print('the standby is the primary');
      await setTimeout(RECOVERY_LIMIT_MS);
    });

    expect(await scene.verdict('promotion')).toEqual(SOUND);
    expect(scene.ledger.cut).toBe(0);
  });
});
