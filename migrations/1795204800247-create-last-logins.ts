import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes when each user last logged in; of those before, what the sessions that are kept say. */
export class CreateLastLogins1795204800247 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(
      `CREATE TABLE last_logins (
         user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
         logged_in_at timestamptz(3) NOT NULL
       )`,
    );
    await database.query(
      `INSERT INTO last_logins (user_id, logged_in_at)
       SELECT user_id, max(created_at) FROM sessions GROUP BY user_id`,
    );
    await database.query(
      'CREATE INDEX last_logins_logged_in_at_user_id_idx ON last_logins (logged_in_at, user_id)',
    );
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE last_logins');
  }
}
