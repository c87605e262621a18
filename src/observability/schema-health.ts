import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Migrations } from '../database/migrations.js';
import { schemaDifference } from '../database/schema-difference.js';
import { Health } from './health.js';

/** Requires a database that is no older than this version of the service, and expects one that is no newer. */
@Injectable()
export class SchemaHealth {
  constructor(database: DataSource, { names }: Migrations, health: Health) {
    health.require('migrations', async () => (await schemaDifference(database, names)).missing.length === 0);
    // Expected during a rolling update: the first new replica migrates, and the old ones serve until they are replaced.
    health.expect('migrations', async () => (await schemaDifference(database, names)).unknown.length === 0);
  }
}
