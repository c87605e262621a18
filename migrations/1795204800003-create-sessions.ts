import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSessions1795204800003 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE sessions (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        token_hash bytea NOT NULL UNIQUE,
        auth_method text NOT NULL CHECK (auth_method IN ('password', 'idp')),
        ip inet,
        user_agent text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        invalidated_at timestamptz(3)
      )
    `);
    await database.query('CREATE INDEX sessions_user_id_id_idx ON sessions (user_id, id)');
    await database.query('CREATE INDEX sessions_expires_at_idx ON sessions (expires_at)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE sessions');
  }
}
