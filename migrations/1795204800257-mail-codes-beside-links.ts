import type { MigrationInterface, QueryRunner } from 'typeorm';

export class MailCodesBesideLinks1795204800257 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE link_requests ADD COLUMN secrets bytea');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE link_requests DROP COLUMN secrets');
  }
}
