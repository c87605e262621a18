import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NoteWhoAsksForLinks1795204800014 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE link_requests ADD COLUMN ip text, ADD COLUMN user_agent text');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE link_requests DROP COLUMN ip, DROP COLUMN user_agent');
  }
}
