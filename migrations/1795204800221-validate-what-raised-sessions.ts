import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ValidateWhatRaisedSessions1795204800221 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE sessions VALIDATE CONSTRAINT sessions_raised_by_check');
  }

  /** What was looked at stays looked at. */
  async down(): Promise<void> {}
}
