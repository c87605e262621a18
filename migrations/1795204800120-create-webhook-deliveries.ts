import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWebhookDeliveries1795204800120 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE webhook_deliveries (
        id uuid PRIMARY KEY,
        event_id uuid NOT NULL,
        endpoint text NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        last_error text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        due_at timestamptz(3) NOT NULL DEFAULT now(),
        leased_until timestamptz(3),
        finished_at timestamptz(3),
        outcome text CONSTRAINT webhook_deliveries_outcome_check
          CHECK (outcome IN ('sent', 'skipped', 'expired', 'dead')),
        UNIQUE (endpoint, event_id)
      )
    `);
    await database.query(
      'CREATE INDEX webhook_deliveries_waiting_idx ON webhook_deliveries (endpoint, id) WHERE finished_at IS NULL',
    );
    await database.query(
      "CREATE INDEX webhook_deliveries_dead_idx ON webhook_deliveries (endpoint, id) WHERE outcome = 'dead'",
    );
    await database.query(
      'CREATE INDEX webhook_deliveries_finished_at_idx ON webhook_deliveries (finished_at)',
    );
    await database.query(`
      CREATE TABLE webhook_outages (
        endpoint text PRIMARY KEY,
        failures integer NOT NULL DEFAULT 1,
        paused_until timestamptz(3) NOT NULL,
        is_refused boolean NOT NULL
      )
    `);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE webhook_outages');
    await database.query('DROP TABLE webhook_deliveries');
  }
}
