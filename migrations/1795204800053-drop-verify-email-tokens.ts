import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DropVerifyEmailTokens1795204800053 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`DELETE FROM one_time_tokens WHERE purpose = 'verify-email'`);
    await database.query('ALTER TABLE one_time_tokens DROP CONSTRAINT one_time_tokens_purpose_check');
    await database.query(`
      ALTER TABLE one_time_tokens ADD CONSTRAINT one_time_tokens_purpose_check
        CHECK (purpose IN ('reset-password', 'change-email', 'secure-account'))
    `);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE one_time_tokens DROP CONSTRAINT one_time_tokens_purpose_check');
    await database.query(`
      ALTER TABLE one_time_tokens ADD CONSTRAINT one_time_tokens_purpose_check
        CHECK (purpose IN ('verify-email', 'reset-password', 'change-email', 'secure-account'))
    `);
  }
}
