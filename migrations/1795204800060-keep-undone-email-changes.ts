import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeepUndoneEmailChanges1795204800060 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE email_changes ADD COLUMN undone_at timestamptz(3)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DELETE FROM email_changes WHERE undone_at IS NOT NULL');
    await database.query('ALTER TABLE email_changes DROP COLUMN undone_at');
  }
}
