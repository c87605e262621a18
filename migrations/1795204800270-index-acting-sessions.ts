import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEX = 'sessions_acting_idx';

/** Finds the few sessions in which a SYSTEM_ADMIN acts. */
export class IndexActingSessions1795204800270 implements MigrationInterface {
  /** PostgreSQL builds an index beside the requests, which wait for nothing, only outside of a transaction. */
  readonly transaction = false;

  async up(database: QueryRunner): Promise<void> {
    // Unused since 0.1, if it is there: a start that was cut off left it unfinished.
    await database.query(`DROP INDEX CONCURRENTLY IF EXISTS ${INDEX}`);
    await database.query(
      `CREATE INDEX CONCURRENTLY ${INDEX} ON sessions (actor_id) WHERE actor_id IS NOT NULL`,
    );
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query(`DROP INDEX ${INDEX}`);
  }
}
