import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What one request counts against several limits, it counts in one statement. Both functions lock the keys in the order
 * in which they get them.
 *
 * `take_points` takes a point under each key, and ends with the first that had none left. Its time is not `now()`, which
 * is when the statement began: one that waits for another would count its wait on top of the window.
 *
 * `give_points_back` gives a point back under each of some keys, and all points under others. Fewer points than none
 * would be attempts too many: another request may have forgotten what this one gives back.
 *
 * Neither waits for the disk: a PostgreSQL that crashes forgets the counts of its last moments, which an attacker cannot
 * bring about, and each request would wait for a write.
 */
export class CountLimitsTogether1795204800130 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE FUNCTION take_points(keys text[], quotas integer[], windows_ms bigint[])
      RETURNS TABLE (taken integer, ms_before_reset double precision) LANGUAGE plpgsql AS $$
      DECLARE
        now_ms bigint;
        ends_at_ms bigint;
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        FOR place IN 1 .. cardinality(keys) LOOP
          now_ms := extract(epoch FROM clock_timestamp()) * 1000;
          INSERT INTO rate_limits AS r (key, points, expire)
          VALUES (keys[place], 1, now_ms + windows_ms[place])
          ON CONFLICT (key) DO UPDATE SET
            points = CASE WHEN r.expire <= now_ms THEN 1 ELSE r.points + 1 END,
            expire = CASE WHEN r.expire <= now_ms THEN excluded.expire ELSE r.expire END
          RETURNING r.points, r.expire INTO taken, ends_at_ms;
          now_ms := extract(epoch FROM clock_timestamp()) * 1000;
          ms_before_reset := greatest(0, ends_at_ms - now_ms);
          RETURN NEXT;
          EXIT WHEN taken > quotas[place];
        END LOOP;
      END $$
    `);
    await database.query(`
      CREATE FUNCTION give_points_back(some_of text[], all_of text[])
      RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        each text;
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        FOREACH each IN ARRAY some_of LOOP
          UPDATE rate_limits SET points = greatest(0, points - 1) WHERE key = each;
        END LOOP;
        FOREACH each IN ARRAY all_of LOOP
          DELETE FROM rate_limits WHERE key = each;
        END LOOP;
      END $$
    `);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP FUNCTION give_points_back(text[], text[])');
    await database.query('DROP FUNCTION take_points(text[], integer[], bigint[])');
  }
}
