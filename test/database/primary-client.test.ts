import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { PrimaryClient } from '../../src/database/primary-client.js';
import { TestDatabase } from '../support/test-database.js';

const PROCESS = 'SELECT pg_backend_pid() AS pid, pg_current_xact_id_if_assigned() AS transaction';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await TestDatabase.create();
  const options = { connectionString: database.url, query_timeout: 2_000, max: 1 };
  pool = new Pool({ ...options, Client: PrimaryClient });
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

describe('a connection on which an answer takes too long', () => {
  it('is not given to the next user, who would get what the server still does for the last one', async () => {
    const client = await pool.connect();
    await client.query('START TRANSACTION');
    const { rows: before } = await client.query(PROCESS);

    await expect(client.query('SELECT pg_sleep(30)')).rejects.toThrow();
    await client.query('ROLLBACK').catch(() => {});
    client.release();
    const { rows: after } = await pool.query(PROCESS);

    expect(after[0].pid).not.toBe(before[0].pid);
  });
});
