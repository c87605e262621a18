import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NoteAddressesToldToStripe1795204800071 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE billing_customers ADD COLUMN email text');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE billing_customers DROP COLUMN email');
  }
}
