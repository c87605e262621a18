import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps of a customer in which mode Stripe made it, test or live, and whether it ever had a trial. */
export class KeepModesOfCustomers1795204800272 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(
      'ALTER TABLE billing_customers ADD livemode boolean, ADD trial_used boolean NOT NULL DEFAULT false',
    );
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE billing_customers DROP trial_used, DROP livemode');
  }
}
