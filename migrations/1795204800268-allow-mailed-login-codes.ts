import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets a mailed code log in, and prove within a session who its user is. */
export class AllowMailedLoginCodes1795204800268 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await allow(database, 'mailed_codes', 'purpose', [
      'verify-email',
      'reset-password',
      'change-email',
      'login',
      'step-up',
    ]);
    await allow(database, 'one_time_tokens', 'purpose', [
      'reset-password',
      'change-email',
      'secure-account',
      'login',
      'step-up',
    ]);
    await allow(database, 'pending_logins', 'auth_method', ['password', 'idp', 'email_code']);
    await allow(database, 'sessions', 'auth_method', ['password', 'idp', 'passkey', 'email_code']);
  }

  /** What a mailed code began ends: the version before does not know how. */
  async down(database: QueryRunner): Promise<void> {
    await database.query(`DELETE FROM sessions WHERE auth_method = 'email_code'`);
    await database.query(`DELETE FROM pending_logins WHERE auth_method = 'email_code'`);
    for (const table of ['one_time_tokens', 'mailed_codes'])
      await database.query(`DELETE FROM ${table} WHERE purpose IN ('login', 'step-up')`);
    await database.query(`DELETE FROM link_requests WHERE purpose = 'login'`);
    await allow(database, 'sessions', 'auth_method', ['password', 'idp', 'passkey']);
    await allow(database, 'pending_logins', 'auth_method', ['password', 'idp']);
    await allow(database, 'one_time_tokens', 'purpose', ['reset-password', 'change-email', 'secure-account']);
    await allow(database, 'mailed_codes', 'purpose', ['verify-email', 'reset-password', 'change-email']);
  }
}

async function allow(database: QueryRunner, table: string, column: string, values: string[]): Promise<void> {
  const name = `${table}_${column}_check`;
  const list = values.map((value) => `'${value}'`).join(', ');
  await database.query(
    `ALTER TABLE ${table} DROP CONSTRAINT ${name}, ADD CONSTRAINT ${name} CHECK (${column} IN (${list}))`,
  );
}
