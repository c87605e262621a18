import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ValidateOwnRoles1795204800161 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE users VALIDATE CONSTRAINT users_own_role_check');
  }

  /** What was looked at stays looked at. */
  async down(): Promise<void> {}
}
