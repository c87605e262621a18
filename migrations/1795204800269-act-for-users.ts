import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets SYSTEM_ADMINs act for users, in sessions of their own kind, and lets an organization refuse that. */
export class ActForUsers1795204800269 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    // No foreign keys: each would cost the prune a look-up a row.
    await database.query(`
      ALTER TABLE sessions
        ADD parent_id uuid,
        ADD actor_id uuid,
        ADD acting_org_id uuid,
        ADD acting_may_write boolean`);
    await allowMethods(database, ['password', 'idp', 'passkey', 'email_code', 'acting']);
    await database.query('ALTER TABLE organizations ADD policy_acting boolean NOT NULL DEFAULT true');
  }

  /** The sessions that act end: the version before would take each for a session of the user. */
  async down(database: QueryRunner): Promise<void> {
    await database.query("DELETE FROM sessions WHERE auth_method = 'acting'");
    await allowMethods(database, ['password', 'idp', 'passkey', 'email_code']);
    await database.query(
      'ALTER TABLE sessions DROP parent_id, DROP actor_id, DROP acting_org_id, DROP acting_may_write',
    );
    await database.query('ALTER TABLE organizations DROP policy_acting');
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
