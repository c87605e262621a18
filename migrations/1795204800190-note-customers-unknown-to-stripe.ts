import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Notes which customers Stripe does not know. Those that are past due are read again, because their grace now counts
 * from another day.
 */
export class NoteCustomersUnknownToStripe1795204800190 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE billing_customers ADD COLUMN unknown_at timestamptz(3)');
    await database.query("UPDATE billing_customers SET read_at = NULL WHERE status = 'past_due'");
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE billing_customers DROP COLUMN unknown_at');
  }
}
