import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateNotes1800000000000 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('CREATE SCHEMA notes');
    await database.query(`
      CREATE TABLE notes.notes (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
        author_id uuid REFERENCES users ON DELETE SET NULL,
        text text NOT NULL
      )
    `);
    await database.query('CREATE INDEX notes_org_id_idx ON notes.notes (org_id, id)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP SCHEMA notes CASCADE');
  }
}
