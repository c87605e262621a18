import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEX = 'memberships_active_idx';

/** Reads the memberships of a user that are not suspended from an index alone. */
export class IndexActiveMemberships1795204800265 implements MigrationInterface {
  /** PostgreSQL builds an index beside the requests, which wait for nothing, only outside of a transaction. */
  readonly transaction = false;

  async up(database: QueryRunner): Promise<void> {
    // Unused since 0.1, if it is there: a start that was cut off left it unfinished.
    await database.query(`DROP INDEX CONCURRENTLY IF EXISTS ${INDEX}`);
    await database.query(
      `CREATE INDEX CONCURRENTLY ${INDEX} ON memberships (user_id) INCLUDE (org_id, role) WHERE suspended_at IS NULL`,
    );
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query(`DROP INDEX ${INDEX}`);
  }
}
