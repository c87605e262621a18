import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets an organization ask more of the sessions that enter it, and keeps of each session what that is judged by. */
export class AskMoreOfMembers1795204800264 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      ALTER TABLE organizations
        ADD policy_idle_minutes integer
          CONSTRAINT organizations_policy_idle_minutes_check CHECK (policy_idle_minutes BETWEEN 5 AND 43200),
        ADD policy_age_minutes integer
          CONSTRAINT organizations_policy_age_minutes_check CHECK (policy_age_minutes BETWEEN 15 AND 43200),
        ADD policy_login_methods text[],
        ADD policy_networks cidr[]`);
    await database.query(`
      ALTER TABLE sessions
        ADD longest_idle integer NOT NULL DEFAULT 0,
        ADD proven_by text[] NOT NULL DEFAULT '{}'`);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE sessions DROP longest_idle, DROP proven_by');
    await database.query(`
      ALTER TABLE organizations
        DROP policy_idle_minutes, DROP policy_age_minutes, DROP policy_login_methods, DROP policy_networks`);
  }
}
