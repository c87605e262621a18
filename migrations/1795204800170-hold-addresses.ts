import type { MigrationInterface, QueryRunner } from 'typeorm';

export class HoldAddresses1795204800170 implements MigrationInterface {
  /** PostgreSQL builds an index beside the requests, which wait for nothing, only outside of a transaction. */
  readonly transaction = false;

  /** An index that was left unfinished, by a start that was cut off, is built anew. */
  async up(database: QueryRunner): Promise<void> {
    await database.query('DROP INDEX CONCURRENTLY IF EXISTS email_changes_old_email_idx');
    await database.query(
      'CREATE INDEX CONCURRENTLY email_changes_old_email_idx ON email_changes (old_email)',
    );
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP INDEX email_changes_old_email_idx');
  }
}
