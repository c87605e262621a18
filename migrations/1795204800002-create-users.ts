import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateUsers1795204800002 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE users (
        id uuid PRIMARY KEY,
        email text NOT NULL UNIQUE,
        email_verified_at timestamptz(3),
        name text,
        role text NOT NULL CHECK (role IN ('readonly', 'member', 'org_admin', 'sys_admin')),
        org_id uuid REFERENCES organizations ON DELETE RESTRICT,
        password_hash text,
        password_changed_at timestamptz(3),
        disabled_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT users_password_check CHECK ((password_hash IS NULL) = (password_changed_at IS NULL))
      )
    `);
    await database.query('CREATE INDEX users_org_id_idx ON users (org_id)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE users');
  }
}
