import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The points taken under each key, and when they expire, in milliseconds since 1970. The prune finds expired rows by
 * the fourth column.
 */
export class CreateRateLimits1795204800041 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE rate_limits (
        key text PRIMARY KEY,
        points integer NOT NULL,
        expire bigint NOT NULL,
        expires_at timestamptz(3) NOT NULL GENERATED ALWAYS AS (to_timestamp(expire / 1000.0)) STORED
      )
    `);
    await database.query('CREATE INDEX rate_limits_expires_at_idx ON rate_limits (expires_at)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE rate_limits');
  }
}
