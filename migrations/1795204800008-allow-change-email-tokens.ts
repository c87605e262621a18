import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AllowChangeEmailTokens1795204800008 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE one_time_tokens DROP CONSTRAINT one_time_tokens_purpose_check');
    await database.query(`
      ALTER TABLE one_time_tokens ADD CONSTRAINT one_time_tokens_purpose_check
        CHECK (purpose IN ('verify-email', 'reset-password', 'change-email'))
    `);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query(`DELETE FROM one_time_tokens WHERE purpose = 'change-email'`);
    await database.query('ALTER TABLE one_time_tokens DROP CONSTRAINT one_time_tokens_purpose_check');
    await database.query(`
      ALTER TABLE one_time_tokens ADD CONSTRAINT one_time_tokens_purpose_check
        CHECK (purpose IN ('verify-email', 'reset-password'))
    `);
  }
}
