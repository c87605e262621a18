import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  users_name_order_idx: 'users (lower(coalesce(name, email)), id)',
  users_role_order_idx: `users (array_position('{readonly,member,org_admin,sys_admin}'::text[], role), id)`,
};

/** Lets a list of users be sorted by name and by role; the index of the addresses is there already. */
export class IndexOrdersOfUsers1795204800246 implements MigrationInterface {
  /** PostgreSQL builds an index beside the requests, which wait for nothing, only outside of a transaction. */
  readonly transaction = false;

  async up(database: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES)) {
      // Unused since 0.1, if it is there: a start that was cut off left it unfinished.
      await database.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await database.query(`CREATE INDEX CONCURRENTLY ${name} ON ${columns}`);
    }
  }

  async down(database: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await database.query(`DROP INDEX ${name}`);
  }
}
