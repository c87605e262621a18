import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeepOwnRoles1795204800160 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    // Without a look at the rows, which the next migration takes without keeping logins out.
    await database.query(
      `ALTER TABLE users ADD own_role text NOT NULL DEFAULT 'member',
         ADD CONSTRAINT users_own_role_check CHECK (own_role IN ('readonly', 'member')) NOT VALID`,
    );
    // Outside of organizations only a SYSTEM_ADMIN gives this role.
    await database.query(`UPDATE users SET own_role = 'readonly' WHERE role = 'readonly' AND org_id IS NULL`);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('ALTER TABLE users DROP own_role');
  }
}
