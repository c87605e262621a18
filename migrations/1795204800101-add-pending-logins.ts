import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddPendingLogins1795204800101 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(
      `CREATE TABLE pending_logins (
         token_hash bytea PRIMARY KEY,
         user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
         auth_method text NOT NULL
           CONSTRAINT pending_logins_auth_method_check CHECK (auth_method IN ('password', 'idp')),
         password_changed_at timestamptz(3),
         expires_at timestamptz(3) NOT NULL
       )`,
    );
    await database.query('CREATE INDEX pending_logins_user_id_idx ON pending_logins (user_id)');
    await database.query('CREATE INDEX pending_logins_expires_at_idx ON pending_logins (expires_at)');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE pending_logins');
  }
}
