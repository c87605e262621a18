import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Balancer } from '../support/balancer.js';
import { crowd } from '../support/crowd.js';
import { Replicas } from '../support/replicas.js';
import { TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
let service: Replicas;
let balancer: Balancer;
beforeAll(async () => {
  database = await TestDatabase.create();
  service = await Replicas.start(database, 2);
  balancer = await Balancer.start(service.replicas);
});
afterAll(async () => {
  await balancer.close();
  await service.kill();
  await database.close();
});

const me = (cookie: string) => fetch(`${balancer.url}/users/me`, { headers: { cookie } });

describe('two replicas behind a balancer', () => {
  it('know everybody, also while one of them is down', async () => {
    const people = await crowd(database, 20);
    const ask = async () => (await Promise.all(people.map(({ cookie }) => me(cookie)))).map((a) => a.status);

    expect(new Set(await ask())).toEqual(new Set([200]));
    await service.at(1).kill();
    expect(new Set(await ask())).toEqual(new Set([200]));
    await service.at(1).restart();
    expect(await service.at(0).stop()).toBe(0);
    expect(new Set(await ask())).toEqual(new Set([200]));
  });
});
