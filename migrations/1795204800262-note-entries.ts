import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes when members last entered their organization, and which sessions have entered it. */
export class NoteEntries1795204800262 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE memberships ADD entered_at timestamptz(3)');
    await database.query(`
      CREATE TABLE org_entries (
        session_id uuid,
        org_id uuid,
        expires_at timestamptz(3) NOT NULL,
        PRIMARY KEY (session_id, org_id))`);
    await database.query('CREATE INDEX org_entries_expires_at_idx ON org_entries (expires_at)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE org_entries');
    await database.query('ALTER TABLE memberships DROP entered_at');
  }
}
