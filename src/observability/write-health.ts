import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Health } from './health.js';

/**
 * Fails as every write does where PostgreSQL only reads, so that the connection is not used again. It touches no table: a
 * lock on one would look the same.
 */
const REFUSE_WHERE_READ_ONLY = `
  DO $$ BEGIN
    IF current_setting('transaction_read_only')::boolean THEN
      RAISE EXCEPTION 'the database only reads' USING ERRCODE = 'read_only_sql_transaction';
    END IF;
  END $$`;

/** Requires a database that takes writes, which almost every request needs: a primary may come to only read. */
@Injectable()
export class WriteHealth {
  constructor(database: DataSource, health: Health) {
    health.require('writes', async () => Boolean(await database.query(REFUSE_WHERE_READ_ONLY)));
  }
}
