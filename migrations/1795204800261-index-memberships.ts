import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  memberships_org_id_user_id_idx: 'memberships (org_id, user_id)',
  memberships_role_user_id_idx: 'memberships (role, user_id)',
  users_own_role_id_idx: 'users (own_role, id)',
};

/** Lists and counts the members of an organization, and the users of a role. */
export class IndexMemberships1795204800261 implements MigrationInterface {
  /** PostgreSQL builds an index beside the requests, which wait for nothing, only outside of a transaction. */
  readonly transaction = false;

  async up(database: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES)) {
      // Unused since 0.1, if it is there: a start that was cut off left it unfinished.
      await database.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await database.query(`CREATE INDEX CONCURRENTLY ${name} ON ${columns}`);
    }
    await database.query('ANALYZE memberships, users');
  }

  async down(database: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await database.query(`DROP INDEX ${name}`);
  }
}
