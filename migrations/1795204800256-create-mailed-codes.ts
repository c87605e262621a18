import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateMailedCodes1795204800256 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE mailed_codes (
        browser_hash bytea,
        purpose text NOT NULL
          CONSTRAINT mailed_codes_purpose_check CHECK (purpose IN ('verify-email', 'reset-password', 'change-email')),
        salt bytea NOT NULL,
        token_hash bytea NOT NULL,
        tries smallint NOT NULL DEFAULT 0,
        expires_at timestamptz(3) NOT NULL,
        PRIMARY KEY (browser_hash, purpose)
      )
    `);
    await database.query('CREATE INDEX mailed_codes_expires_at_idx ON mailed_codes (expires_at)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE mailed_codes');
  }
}
