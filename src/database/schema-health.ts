import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Health } from '../health/health.js';

/** Compares the migrations the database has seen with those of this version of the service. */
@Injectable()
export class SchemaHealth {
  constructor(
    private readonly database: DataSource,
    health: Health,
  ) {
    health.require('migrations', () => this.isNoOlder());
    // A rolling update leads here: the first new replica migrates, and the old ones serve until they are replaced.
    health.expect('migrations', () => this.isNoNewer());
  }

  private async isNoOlder(): Promise<boolean> {
    const applied = await this.applied();
    return this.known().every((name) => applied.includes(name));
  }

  private async isNoNewer(): Promise<boolean> {
    const known = this.known();
    return (await this.applied()).every((name) => known.includes(name));
  }

  private known(): string[] {
    return this.database.migrations.map((migration) => migration.constructor.name);
  }

  private async applied(): Promise<string[]> {
    const rows: { name: string }[] = await this.database.query('SELECT name FROM migrations');
    return rows.map(({ name }) => name);
  }
}
