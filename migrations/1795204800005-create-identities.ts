import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdentities1795204800005 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE identities (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        provider text NOT NULL,
        subject text NOT NULL,
        email text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        UNIQUE (provider, subject),
        UNIQUE (user_id, provider)
      )
    `);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE identities');
  }
}
