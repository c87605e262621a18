import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = ['actor_id', 'user_id'];

/**
 * Lets PostgreSQL expect that a user has a thousandth of all events. It does not know whom a list is about: by the mean of all
 * users, who have a few each, it read every event of a busy one and sorted them, in place of walking along the index to the end
 * of a page.
 */
export class ExpectBusyUsers1795204800259 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const column of COLUMNS)
      await runner.query(`ALTER TABLE audit_events ALTER COLUMN ${column} SET (n_distinct = 1000)`);
    await runner.query(`ANALYZE audit_events (${COLUMNS.join(', ')})`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of COLUMNS)
      await runner.query(`ALTER TABLE audit_events ALTER COLUMN ${column} RESET (n_distinct)`);
  }
}
