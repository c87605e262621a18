import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables that have the language, as a BCP 47 tag, of a person or of an organization. */
const TABLES = ['users', 'signups', 'link_requests', 'invitations', 'organizations'];

/** Notes in which language, and in which time zone, people are written to, and in which a mail was written. */
export class SpeakLanguages1795204800258 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} ADD COLUMN locale text`);
    await runner.query('ALTER TABLE users ADD COLUMN time_zone text');
    await runner.query('ALTER TABLE signups ADD COLUMN time_zone text');
    // A constant default writes no row anew.
    await runner.query(`ALTER TABLE outbox_mails ADD COLUMN language text NOT NULL DEFAULT 'en'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox_mails DROP COLUMN language');
    await runner.query('ALTER TABLE signups DROP COLUMN time_zone');
    await runner.query('ALTER TABLE users DROP COLUMN time_zone');
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} DROP COLUMN locale`);
  }
}
