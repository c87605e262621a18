import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A proof of an event under a later secret than the one that linked it; null until a rotation needs it. */
export class SealAuditEvents1795204800191 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE audit_events ADD COLUMN chain_seal bytea');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE audit_events DROP COLUMN chain_seal');
  }
}
