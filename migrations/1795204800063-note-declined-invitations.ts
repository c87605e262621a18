import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table did not record which of the revoked invitations were declined: they silence no organization. */
export class NoteDeclinedInvitations1795204800063 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE invitations ADD COLUMN declined_at timestamptz(3)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE invitations DROP COLUMN declined_at');
  }
}
