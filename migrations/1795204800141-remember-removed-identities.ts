import type { MigrationInterface, QueryRunner } from 'typeorm';

/** No table recorded which identities were removed before: those may still link themselves once. */
export class RememberRemovedIdentities1795204800141 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(
      `CREATE TABLE removed_identities (
         user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
         provider text NOT NULL,
         subject text NOT NULL,
         removed_at timestamptz(3) NOT NULL DEFAULT now(),
         PRIMARY KEY (user_id, provider, subject)
       )`,
    );
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE removed_identities');
  }
}
