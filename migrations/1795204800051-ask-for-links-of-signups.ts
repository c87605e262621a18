import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AskForLinksOfSignups1795204800051 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE link_requests ADD COLUMN signup_id uuid');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query(`DELETE FROM link_requests WHERE purpose <> 'reset-password'`);
    await database.query('ALTER TABLE link_requests DROP COLUMN signup_id');
  }
}
