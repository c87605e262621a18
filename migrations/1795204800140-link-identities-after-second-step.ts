import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LinkIdentitiesAfterSecondStep1795204800140 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE pending_logins ADD COLUMN new_identity jsonb');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE pending_logins DROP COLUMN new_identity');
  }
}
