import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateStripeEvents1795204800021 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE stripe_events (
        id text PRIMARY KEY,
        kind text NOT NULL,
        expires_at timestamptz(3) NOT NULL
      )
    `);
    await database.query('CREATE INDEX stripe_events_expires_at_idx ON stripe_events (expires_at)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE stripe_events');
  }
}
