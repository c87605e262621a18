import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Scene, SOUND } from './scene.js';

const KILLS = 100;
const REPLICAS = 3;

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.set({ replicas: REPLICAS });
});
afterAll(() => scene.close());

describe(`kill -9 of a replica, ${KILLS} times, each started again at once`, () => {
  it('loses nothing that was acknowledged', async () => {
    await scene.play(async ({ service, balancer, ledger }) => {
      for (let kill = 1; kill <= KILLS; kill++) {
        const replica = service.at(kill);
        await ledger.during(() => replica.kill());
        balancer.takeOut(replica);
        await replica.restart();
        balancer.putBack(replica);
        if (kill % 10 === 0) scene.print(`${kill} replicas killed`);
      }
    });

    expect(await scene.verdict(`kill -9 × ${KILLS}`)).toEqual(SOUND);
  });
});
