import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The keys of programs: of organizations, and of the operator. */
export class CreateKeys1795204800275 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    // Without foreign keys to users: a key outlives who made it.
    await database.query(`
      CREATE TABLE keys (
        id uuid PRIMARY KEY,
        org_id uuid REFERENCES organizations ON DELETE CASCADE,
        name text NOT NULL,
        permissions text[] NOT NULL,
        networks cidr[],
        per_minute integer CHECK (per_minute BETWEEN 1 AND 100000),
        made_by uuid,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        ended_at timestamptz(3)
      )`);
    await database.query('CREATE INDEX keys_org_id_id_idx ON keys (org_id, id)');
    await database.query('CREATE INDEX keys_ended_at_idx ON keys (ended_at)');
    await database.query(`
      CREATE TABLE key_secrets (
        id uuid PRIMARY KEY,
        key_id uuid NOT NULL REFERENCES keys ON DELETE CASCADE,
        secret_hash bytea NOT NULL UNIQUE,
        hint text NOT NULL,
        made_by uuid,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3),
        ended_at timestamptz(3),
        last_used_at timestamptz(3),
        last_used_ip inet
      )`);
    await database.query('CREATE INDEX key_secrets_key_id_idx ON key_secrets (key_id)');
  }

  /** All keys end: the version before knows none. */
  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE key_secrets');
    await database.query('DROP TABLE keys');
  }
}
