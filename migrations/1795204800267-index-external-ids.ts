import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['users', 'organizations'];

/** Gives each external id to one user, and to one organization. */
export class IndexExternalIds1795204800267 implements MigrationInterface {
  /** PostgreSQL builds an index beside the requests, which wait for nothing, only outside of a transaction. */
  readonly transaction = false;

  async up(database: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await database.query(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${table}_external_id_check`);
      // Unused since 0.1, if it is there: a start that was cut off left it unfinished.
      await database.query(`DROP INDEX CONCURRENTLY IF EXISTS ${table}_external_id_idx`);
      await database.query(
        `CREATE UNIQUE INDEX CONCURRENTLY ${table}_external_id_idx ON ${table} (external_id)`,
      );
    }
    await database.query('ALTER TABLE memberships VALIDATE CONSTRAINT memberships_joined_by_check');
  }

  async down(database: QueryRunner): Promise<void> {
    for (const table of TABLES) await database.query(`DROP INDEX ${table}_external_id_idx`);
  }
}
