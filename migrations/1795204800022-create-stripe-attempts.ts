import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateStripeAttempts1795204800022 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE stripe_attempts (
        id uuid PRIMARY KEY,
        customer_id uuid NOT NULL REFERENCES billing_customers ON DELETE CASCADE,
        purpose text NOT NULL CHECK (purpose IN ('customer', 'subscription', 'payment')),
        digest text NOT NULL,
        session_id text,
        expires_at timestamptz(3) NOT NULL,
        UNIQUE (customer_id, purpose)
      )
    `);
    await database.query('CREATE INDEX stripe_attempts_expires_at_idx ON stripe_attempts (expires_at)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE stripe_attempts');
  }
}
