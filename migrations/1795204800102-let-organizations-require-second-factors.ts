import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LetOrganizationsRequireSecondFactors1795204800102 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE organizations ADD second_factor_required_at timestamptz(3)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE organizations DROP second_factor_required_at');
  }
}
