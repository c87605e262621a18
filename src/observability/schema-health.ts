import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { schemaDifference } from '../database/schema-difference.js';
import { Health } from './health.js';

/** Requires a database that is no older than this version of the service, and expects one that is no newer. */
@Injectable()
export class SchemaHealth {
  constructor(database: DataSource, health: Health) {
    health.require('migrations', async () => (await schemaDifference(database)).missing.length === 0);
    // Expected during a rolling update: the first new replica migrates, and the old ones serve until they are replaced.
    health.expect('migrations', async () => (await schemaDifference(database)).unknown.length === 0);
  }
}
