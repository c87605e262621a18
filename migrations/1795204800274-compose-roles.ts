import type { MigrationInterface, QueryRunner } from 'typeorm';

const HOLDERS = ['memberships', 'invitations'];

/** Lets an organization compose roles, and give them to members and in invitations. */
export class ComposeRoles1795204800274 implements MigrationInterface {
  /** PostgreSQL checks old rows and builds an index beside the requests, which wait for nothing, only outside of a transaction. */
  readonly transaction = false;

  async up(database: QueryRunner): Promise<void> {
    // Again and again: a start that was cut off left it unfinished.
    await database.query(`
      CREATE TABLE IF NOT EXISTS org_roles (
        org_id uuid REFERENCES organizations (id) ON DELETE CASCADE,
        id uuid,
        name text NOT NULL,
        base text NOT NULL CONSTRAINT org_roles_base_check CHECK (base IN ('readonly', 'member')),
        permissions text[] NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        changed_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (org_id, id),
        UNIQUE (org_id, id, base)
      )`);
    await database.query(
      'CREATE UNIQUE INDEX IF NOT EXISTS org_roles_name_idx ON org_roles (org_id, lower(name))',
    );
    for (const table of HOLDERS) {
      const key = `${table}_custom_role_fkey`;
      const index = `${table}_custom_role_idx`;
      await database.query(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS role_id uuid`);
      // Unused since 0.1, if they are there: a start that was cut off left them unfinished.
      await database.query(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${key}`);
      // With the organization and the base: no row can name a role of another tenant, or one of another rank.
      await database.query(
        `ALTER TABLE ${table} ADD CONSTRAINT ${key}
           FOREIGN KEY (org_id, role_id, role) REFERENCES org_roles (org_id, id, base) NOT VALID`,
      );
      await database.query(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${key}`);
      await database.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
      await database.query(
        `CREATE INDEX CONCURRENTLY ${index} ON ${table} (org_id, role_id) WHERE role_id IS NOT NULL`,
      );
    }
  }

  /** Refuses while a custom role is held: without it, its holder would have what the base has. */
  async down(database: QueryRunner): Promise<void> {
    await database.query(`
      DO $$
      DECLARE held integer;
      BEGIN
        SELECT (SELECT count(*) FROM memberships WHERE role_id IS NOT NULL)
             + (SELECT count(*) FROM invitations WHERE role_id IS NOT NULL) INTO held;
        IF held > 0 THEN
          RAISE EXCEPTION '% members and invitations have a custom role. Give them a built-in one first.', held;
        END IF;
      END $$`);
    for (const table of HOLDERS) await database.query(`ALTER TABLE ${table} DROP role_id`);
    await database.query('DROP TABLE org_roles');
  }
}
