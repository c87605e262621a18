import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { TestDatabase } from '../../../support/test-database.js';
import { describeWhere } from '../../../support/where.js';
import { RECOVERY_LIMIT_MS, Scene, SOUND } from '../scene.js';
import { PatroniCluster } from './cluster.js';
import { installedPrograms, missingPrograms } from './programs.js';

const describeCluster = describeWhere(missingPrograms.length === 0);

const FAULTS: [string, (cluster: PatroniCluster) => Promise<void>][] = [
  ['patronictl switchover', (cluster) => cluster.switchOver()],
  ['kill -9 of the primary and its Patroni', (cluster) => cluster.killPrimary()],
  ['the return of the killed member, and a switchover to it', (cluster) => cluster.bringBack()],
];

const title =
  missingPrograms.length === 0
    ? `a cluster of ${installedPrograms}`
    : `a Patroni cluster, for want of ${missingPrograms.join(', ')}`;

describeCluster(title, () => {
  let cluster: PatroniCluster;
  let scene: Scene;
  beforeAll(async () => {
    cluster = await PatroniCluster.start();
  });
  beforeEach(async () => {
    scene = await Scene.set({ database: TestDatabase.at(cluster.url) });
  });
  afterEach(() => scene.close());
  afterAll(() => cluster.remove());

  it.each(FAULTS)('keeps all that was acknowledged after %s', async (fault, happenTo) => {
    await scene.play(async ({ ledger }) => {
      await setTimeout(RECOVERY_LIMIT_MS);
      scene.print(`${ledger.acknowledged.length} acknowledged writes before ${fault}`);
      await ledger.during(() => happenTo(cluster));
      scene.print('HAProxy leads to the new primary');
      await setTimeout(RECOVERY_LIMIT_MS);
    });

    expect(await scene.verdict(fault)).toEqual(SOUND);
    expect(scene.ledger.cut).toBe(0);
  });
});
