import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateBillingCustomers1795204800020 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE billing_customers (
        id uuid PRIMARY KEY,
        org_id uuid UNIQUE REFERENCES organizations ON DELETE SET NULL,
        user_id uuid UNIQUE REFERENCES users ON DELETE SET NULL,
        stripe_customer_id text UNIQUE,
        subscription_id text,
        item_id text,
        status text,
        price_id text,
        quantity integer,
        current_period_end timestamptz(3),
        cancel_at_period_end boolean NOT NULL DEFAULT false,
        past_due_since timestamptz(3),
        read_number bigint NOT NULL DEFAULT 0,
        read_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT billing_customers_owner_check CHECK (num_nonnulls(org_id, user_id) <= 1),
        CONSTRAINT billing_customers_subscription_check CHECK ((subscription_id IS NULL) = (status IS NULL))
      )
    `);
    await database.query('CREATE INDEX billing_customers_read_at_idx ON billing_customers (read_at)');
    await database.query('CREATE SEQUENCE billing_reads');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP SEQUENCE billing_reads');
    await database.query('DROP TABLE billing_customers');
  }
}
