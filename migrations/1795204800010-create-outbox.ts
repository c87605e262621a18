import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOutbox1795204800010 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE outbox_mails (
        id uuid PRIMARY KEY,
        kind text NOT NULL,
        recipient text NOT NULL,
        subject text NOT NULL,
        content bytea,
        attempts integer NOT NULL DEFAULT 0,
        last_error text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3),
        due_at timestamptz(3) NOT NULL DEFAULT now(),
        leased_until timestamptz(3),
        finished_at timestamptz(3),
        outcome text CONSTRAINT outbox_mails_outcome_check CHECK (outcome IN ('sent', 'expired', 'dead'))
      )
    `);
    await database.query(
      'CREATE INDEX outbox_mails_waiting_idx ON outbox_mails (id) WHERE finished_at IS NULL',
    );
    await database.query('CREATE INDEX outbox_mails_finished_at_idx ON outbox_mails (finished_at)');
    await database.query(`
      CREATE TABLE mail_outages (
        provider text PRIMARY KEY,
        failures integer NOT NULL DEFAULT 1,
        paused_until timestamptz(3) NOT NULL,
        is_key_refused boolean NOT NULL
      )
    `);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE mail_outages');
    await database.query('DROP TABLE outbox_mails');
  }
}
