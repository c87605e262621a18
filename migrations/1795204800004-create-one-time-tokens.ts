import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOneTimeTokens1795204800004 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE one_time_tokens (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        purpose text NOT NULL CHECK (purpose IN ('verify-email', 'reset-password')),
        token_hash bytea NOT NULL UNIQUE,
        sent_to text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        consumed_at timestamptz(3)
      )
    `);
    await database.query(
      'CREATE INDEX one_time_tokens_user_id_purpose_idx ON one_time_tokens (user_id, purpose)',
    );
    await database.query('CREATE INDEX one_time_tokens_expires_at_idx ON one_time_tokens (expires_at)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE one_time_tokens');
  }
}
