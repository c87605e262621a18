import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateEmailChanges1795204800013 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE email_changes (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        old_email text NOT NULL,
        expires_at timestamptz(3) NOT NULL
      )
    `);
    await database.query('CREATE INDEX email_changes_user_id_idx ON email_changes (user_id)');
    await database.query('CREATE INDEX email_changes_expires_at_idx ON email_changes (expires_at)');
    await database.query('ALTER TABLE one_time_tokens DROP CONSTRAINT one_time_tokens_purpose_check');
    await database.query(`
      ALTER TABLE one_time_tokens ADD CONSTRAINT one_time_tokens_purpose_check
        CHECK (purpose IN ('verify-email', 'reset-password', 'change-email', 'secure-account'))
    `);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query(`DELETE FROM one_time_tokens WHERE purpose = 'secure-account'`);
    await database.query('ALTER TABLE one_time_tokens DROP CONSTRAINT one_time_tokens_purpose_check');
    await database.query(`
      ALTER TABLE one_time_tokens ADD CONSTRAINT one_time_tokens_purpose_check
        CHECK (purpose IN ('verify-email', 'reset-password', 'change-email'))
    `);
    await database.query('DROP TABLE email_changes');
  }
}
