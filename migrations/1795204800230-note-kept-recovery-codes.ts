import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NoteKeptRecoveryCodes1795204800230 implements MigrationInterface {
  /** Codes from before count as kept: nobody was asked, and a warning about them would be a guess. */
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE recovery_codes ADD COLUMN kept_at timestamptz(3)');
    await database.query('UPDATE recovery_codes SET kept_at = created_at');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE recovery_codes DROP COLUMN kept_at');
  }
}
