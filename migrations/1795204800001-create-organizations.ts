import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOrganizations1795204800001 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE organizations (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )
    `);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE organizations');
  }
}
