import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keeps under which ids another system knows users and organizations, and lets memberships say that they were imported.
 * Nothing looks at the rows yet: that is the next migration's, which keeps no request out.
 */
export class NameExternalIds1795204800266 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    for (const table of ['users', 'organizations'])
      await database.query(
        `ALTER TABLE ${table} ADD external_id text,
           ADD CONSTRAINT ${table}_external_id_check CHECK (external_id ~ '^[!-~]{1,128}$') NOT VALID`,
      );
    await database.query(
      `ALTER TABLE memberships
         DROP CONSTRAINT memberships_joined_by_check,
         ADD CONSTRAINT memberships_joined_by_check
           CHECK (joined_by IN ('founded', 'invitation', 'admin', 'migrated', 'import')) NOT VALID`,
    );
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query(`UPDATE memberships SET joined_by = 'migrated' WHERE joined_by = 'import'`);
    await database.query(
      `ALTER TABLE memberships
         DROP CONSTRAINT memberships_joined_by_check,
         ADD CONSTRAINT memberships_joined_by_check
           CHECK (joined_by IN ('founded', 'invitation', 'admin', 'migrated'))`,
    );
    for (const table of ['organizations', 'users'])
      await database.query(`ALTER TABLE ${table} DROP external_id`);
  }
}
