import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Moves who belongs to which organization into a table of its own, so that a user can belong to several. `own_role` is
 * from now on the one role of a user that no organization gives.
 */
export class CreateMemberships1795204800260 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(
      `CREATE TABLE memberships (
         user_id uuid NOT NULL,
         org_id uuid NOT NULL,
         role text NOT NULL CONSTRAINT memberships_role_check CHECK (role IN ('readonly', 'member', 'org_admin')),
         joined_at timestamptz(3) NOT NULL DEFAULT now(),
         joined_by text NOT NULL
           CONSTRAINT memberships_joined_by_check CHECK (joined_by IN ('founded', 'invitation', 'admin', 'migrated'))
       )`,
    );
    // A SYSTEM_ADMIN administered the organization too.
    await database.query(
      `INSERT INTO memberships (user_id, org_id, role, joined_at, joined_by)
       SELECT u.id, u.org_id, CASE u.role WHEN 'sys_admin' THEN 'org_admin' ELSE u.role END,
              greatest(u.created_at, o.created_at), 'migrated'
         FROM users u JOIN organizations o ON o.id = u.org_id`,
    );
    // After the rows, which PostgreSQL checks faster together. Each request reads the role, from the index alone.
    await database.query(
      `ALTER TABLE memberships
         ADD PRIMARY KEY (user_id, org_id) INCLUDE (role),
         ADD FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
         ADD FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE RESTRICT`,
    );
    await database.query('ALTER TABLE users DROP CONSTRAINT users_own_role_check');
    await database.query(`UPDATE users SET own_role = role WHERE role = 'sys_admin'`);
    await database.query(
      `ALTER TABLE users
         DROP COLUMN org_id,
         DROP COLUMN role,
         ADD CONSTRAINT users_own_role_check CHECK (own_role IN ('readonly', 'member', 'sys_admin'))`,
    );
  }

  async down(database: QueryRunner): Promise<void> {
    const several = await database.query(
      'SELECT user_id FROM memberships GROUP BY user_id HAVING count(*) > 1',
    );
    if (several?.length > 0)
      throw new Error(
        `${several.length} users belong to several organizations, which the version before cannot store.`,
      );
    await database.query('ALTER TABLE users DROP CONSTRAINT users_own_role_check');
    await database.query(
      `ALTER TABLE users
         ADD org_id uuid REFERENCES organizations ON DELETE RESTRICT,
         ADD role text CONSTRAINT users_role_check CHECK (role IN ('readonly', 'member', 'org_admin', 'sys_admin'))`,
    );
    await database.query(
      `UPDATE users u
          SET org_id = m.org_id, role = CASE u.own_role WHEN 'sys_admin' THEN u.own_role ELSE coalesce(m.role, u.own_role) END
         FROM users o LEFT JOIN memberships m ON m.user_id = o.id
        WHERE o.id = u.id`,
    );
    await database.query(`UPDATE users SET own_role = 'member' WHERE own_role = 'sys_admin'`);
    await database.query(
      `ALTER TABLE users
         ALTER role SET NOT NULL,
         ADD CONSTRAINT users_own_role_check CHECK (own_role IN ('readonly', 'member'))`,
    );
    for (const [name, columns] of Object.entries(FORMER_INDEXES))
      await database.query(`CREATE INDEX ${name} ON users (${columns})`);
    await database.query('DROP TABLE memberships');
  }
}

const FORMER_INDEXES = {
  users_role_id_idx: 'role, id',
  users_org_id_id_idx: 'org_id, id',
  users_role_order_idx: `array_position('{readonly,member,org_admin,sys_admin}'::text[], role), id`,
};
