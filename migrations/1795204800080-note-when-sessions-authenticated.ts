import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NoteWhenSessionsAuthenticated1795204800080 implements MigrationInterface {
  /** A session that began before has no time, and counts as long ago: its user authenticates again before what is dangerous. */
  async up(database: QueryRunner): Promise<void> {
    await database.query(
      `ALTER TABLE sessions
         ADD COLUMN aal smallint NOT NULL DEFAULT 1 CONSTRAINT sessions_aal_check CHECK (aal IN (1, 2)),
         ADD COLUMN authenticated_at timestamptz(3),
         ADD COLUMN former_token_hash bytea`,
    );
    await database.query(
      'CREATE INDEX sessions_renewed_idx ON sessions (former_token_hash) WHERE former_token_hash IS NOT NULL',
    );
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query(
      `ALTER TABLE sessions
         DROP COLUMN aal,
         DROP COLUMN authenticated_at,
         DROP COLUMN former_token_hash`,
    );
  }
}
