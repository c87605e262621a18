import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateInvitations1795204800007 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE invitations (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
        email text NOT NULL,
        role text NOT NULL CHECK (role IN ('readonly', 'member', 'org_admin')),
        token_hash bytea NOT NULL UNIQUE,
        invited_by uuid REFERENCES users ON DELETE SET NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        accepted_at timestamptz(3),
        revoked_at timestamptz(3)
      )
    `);
    await database.query(`
      CREATE UNIQUE INDEX invitations_pending_key ON invitations (org_id, email)
        WHERE accepted_at IS NULL AND revoked_at IS NULL
    `);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE invitations');
  }
}
