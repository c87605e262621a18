import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NoteWhatRaisedSessions1795204800220 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    // Without a look at the rows, which the next migration takes without keeping logins out.
    await database.query(
      `ALTER TABLE sessions ADD raised_by text,
         ADD CONSTRAINT sessions_raised_by_check CHECK (raised_by IN ('totp', 'passkey', 'recovery_code')) NOT VALID`,
    );
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE sessions DROP raised_by');
  }
}
