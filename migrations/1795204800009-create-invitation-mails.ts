import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateInvitationMails1795204800009 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE invitation_mails (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
        expires_at timestamptz(3) NOT NULL
      )
    `);
    await database.query('CREATE INDEX invitation_mails_org_id_idx ON invitation_mails (org_id)');
    await database.query('CREATE INDEX invitation_mails_expires_at_idx ON invitation_mails (expires_at)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE invitation_mails');
  }
}
