import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Balancer } from '../../support/balancer.js';
import { crowd, type Person } from '../../support/crowd.js';
import { statusOf } from '../../support/send.js';
import { Replicas, START_PATIENCE_MS } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';

let database: TestDatabase;
let service: Replicas;
let balancer: Balancer;
beforeAll(async () => {
  database = await TestDatabase.create();
  service = await Replicas.start(database, 2);
  balancer = await Balancer.start(service.replicas);
}, START_PATIENCE_MS);
afterAll(async () => {
  await balancer.close();
  await service.kill();
  await database.close();
});

/** The answers to people who ask at once, each for themselves. */
const answersTo = (people: Person[]) =>
  Promise.all(people.map(({ cookie }) => statusOf('GET', `${balancer.url}/users/me`, { cookie })));

describe('while one of two replicas is down', () => {
  it('the other knows every user, and so does the first once it is back', async () => {
    const people = await crowd(database, 20);
    const all = Array(20).fill(200);
    expect(await answersTo(people)).toEqual(all);

    await service.at(1).kill();
    expect(await answersTo(people)).toEqual(all);

    await service.at(1).restart();
    expect(await service.at(0).stop()).toBe(0);
    expect(await answersTo(people)).toEqual(all);
  });
});
