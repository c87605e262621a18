import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool, type PoolConfig } from 'pg';
import { PipelinedConnections } from '../../src/database/pipelined-connections.js';
import { PipeliningClient } from '../../src/database/pipelining-client.js';
import { TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
});
afterAll(() => database.close());

describe('connections that end', () => {
  it('answer what they were sent before, and wait for nothing that comes then', async () => {
    const options: PoolConfig = { connectionString: database.url, max: 2, Client: PipeliningClient };
    const connections = new PipelinedConnections(new Pool(options), true);
    const slow = connections.query({ text: 'SELECT pg_sleep(0.2)' });

    const ended = connections.end();
    const late = connections.query({ text: 'SELECT 1' });

    expect((await Promise.allSettled([slow, late])).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
    ]);
    await ended;
  });
});
