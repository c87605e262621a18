import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSignups1795204800050 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE signups (
        id uuid PRIMARY KEY,
        email text NOT NULL,
        name text,
        org_name text,
        password_hash text NOT NULL,
        password_mac bytea,
        password_tried_at timestamptz(3),
        browser_hash bytea,
        token_hashes bytea[] NOT NULL DEFAULT '{}',
        password_tries integer NOT NULL DEFAULT 0,
        mail_asked_at timestamptz(3) NOT NULL DEFAULT now(),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL
      )
    `);
    await database.query('CREATE INDEX signups_email_idx ON signups (email)');
    await database.query('CREATE INDEX signups_expires_at_idx ON signups (expires_at)');
    await database.query('CREATE INDEX signups_token_hashes_idx ON signups USING gin (token_hashes)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE signups');
  }
}
