import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RememberForgottenDevices1795204800061 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE users ADD COLUMN devices_forgotten_at timestamptz(3)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE users DROP COLUMN devices_forgotten_at');
  }
}
