import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Balancer } from '../../support/balancer.js';
import { crowd } from '../../support/crowd.js';
import { Replicas } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { SteadyLoad } from './steady-load.js';

const PER_SECOND = 100;

let database: TestDatabase;
let service: Replicas;
let balancer: Balancer;
let load: SteadyLoad;
beforeEach(async () => {
  database = await TestDatabase.create();
});
afterEach(async () => {
  await balancer.close();
  await service.kill();
  await load.end();
  await database.close();
});

describe('a rolling restart under load', () => {
  it.each([
    ['three replicas', 3, {}],
    ['two replicas of two workers each', 2, { SVC_WORKERS: '2' }],
  ])('of %s fails no request', async (_, count, variables) => {
    service = await Replicas.start(database, count, { SVC_STOP_DELAY_SECONDS: '1', ...variables });
    balancer = await Balancer.start(service.replicas);
    balancer.followReadiness();
    load = new SteadyLoad(balancer.url, await crowd(database, 100), PER_SECOND);

    const statuses: (number | null)[] = [];
    for (const replica of service.replicas) {
      statuses.push(await replica.stop());
      await replica.restart();
      await load.goesOn(PER_SECOND);
    }
    await load.end();

    expect(load.failures).toEqual([]);
    expect(statuses).toEqual(Array(count).fill(0));
    expect(load.answered).toBeGreaterThan(count * PER_SECOND);
  });
});
