import type { MigrationInterface, QueryRunner } from 'typeorm';

export class HoldAddresses1795204800170 implements MigrationInterface {
  /** In the transaction: the table has the changes of three days, and only another change of address waits. */
  async up(database: QueryRunner): Promise<void> {
    await database.query('CREATE INDEX email_changes_old_email_idx ON email_changes (old_email)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP INDEX email_changes_old_email_idx');
  }
}
