import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps about which unpaid invoice of a customer the admins were mailed last. */
export class MailAboutLatePayments1795204800273 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE billing_customers ADD dunned_invoice_id text');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE billing_customers DROP dunned_invoice_id');
  }
}
