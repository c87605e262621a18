import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Health } from './health.js';

/** PostgreSQL refuses it where it refuses every write, and else it changes no row, and takes no transaction id. */
const WRITE_NOTHING = 'UPDATE scheduled_jobs SET name = name WHERE false';

/** Requires a database that takes writes, which almost every request needs: a primary may come to only read. */
@Injectable()
export class WriteHealth {
  constructor(database: DataSource, health: Health) {
    health.require('writes', async () => Boolean(await database.query(WRITE_NOTHING)));
  }
}
