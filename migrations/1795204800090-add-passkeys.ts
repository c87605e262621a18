import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddPasskeys1795204800090 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(
      `CREATE TABLE passkeys (
         id uuid PRIMARY KEY,
         user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
         rp_id text NOT NULL,
         credential_id bytea NOT NULL UNIQUE
           CONSTRAINT passkeys_credential_id_check CHECK (octet_length(credential_id) BETWEEN 16 AND 1023),
         public_key bytea NOT NULL,
         sign_count bigint NOT NULL,
         transports text[] NOT NULL DEFAULT '{}',
         backup_eligible boolean NOT NULL,
         backed_up boolean NOT NULL,
         name text NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         last_used_at timestamptz(3)
       )`,
    );
    await database.query('CREATE INDEX passkeys_user_id_idx ON passkeys (user_id)');
    await allowMethods(database, ['password', 'idp', 'passkey']);
  }

  /** The sessions that a passkey began end: the version before does not know how they were started. */
  async down(database: QueryRunner): Promise<void> {
    await database.query("DELETE FROM sessions WHERE auth_method = 'passkey'");
    await allowMethods(database, ['password', 'idp']);
    await database.query('DROP TABLE passkeys');
  }
}

async function allowMethods(database: QueryRunner, methods: string[]): Promise<void> {
  const list = methods.map((method) => `'${method}'`).join(', ');
  await database.query(
    `ALTER TABLE sessions
       DROP CONSTRAINT sessions_auth_method_check,
       ADD CONSTRAINT sessions_auth_method_check CHECK (auth_method IN (${list}))`,
  );
}
