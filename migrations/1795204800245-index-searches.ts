import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  users_search_idx: `users USING gin (trigrams_of(lower('  ' || replace(email || ' ' || coalesce(name, ''), ' ', '  '))))`,
  outbox_mails_search_idx: `outbox_mails USING gin (trigrams_of(lower('  ' || replace(recipient, ' ', '  '))))`,
};

/**
 * Lets a search find any part of a text. A function of the service's own, and not pg_trgm: that has to be installed and
 * allowed, and where the server's locale is C it leaves out each letter beyond ASCII.
 */
export class IndexSearches1795204800245 implements MigrationInterface {
  /** PostgreSQL builds an index beside the requests, which wait for nothing, only outside of a transaction. */
  readonly transaction = false;

  async up(database: QueryRunner): Promise<void> {
    await database.query(
      `CREATE OR REPLACE FUNCTION trigrams_of(text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
       RETURN ARRAY(SELECT DISTINCT substr($1, i, 3) FROM generate_series(1, length($1) - 2) AS i)`,
    );
    for (const [name, expression] of Object.entries(INDEXES)) {
      // Unused since 0.1, if it is there: a start that was cut off left it unfinished.
      await database.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await database.query(`CREATE INDEX CONCURRENTLY ${name} ON ${expression}`);
    }
    // Until it has counted the values of the index, PostgreSQL reads whole tables instead.
    await database.query('ANALYZE users, outbox_mails');
  }

  async down(database: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await database.query(`DROP INDEX ${name}`);
    await database.query('DROP FUNCTION trigrams_of(text)');
  }
}
