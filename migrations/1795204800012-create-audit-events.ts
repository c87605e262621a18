import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAuditEvents1795204800012 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    await database.query(`
      CREATE TABLE audit_events (
        id uuid PRIMARY KEY,
        type text NOT NULL,
        actor_id uuid,
        user_id uuid,
        org_id uuid,
        ip text,
        user_agent text,
        details jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        chain_id uuid NOT NULL,
        chain_position bigint,
        chain_hash bytea
      )
    `);
    await database.query('CREATE INDEX audit_events_actor_id_id_idx ON audit_events (actor_id, id)');
    await database.query('CREATE INDEX audit_events_user_id_id_idx ON audit_events (user_id, id)');
    await database.query('CREATE INDEX audit_events_org_id_id_idx ON audit_events (org_id, id)');
    await database.query(
      'CREATE UNIQUE INDEX audit_events_chain_idx ON audit_events (chain_id, chain_position)',
    );
    await database.query(
      'CREATE INDEX audit_events_unchained_idx ON audit_events (id) WHERE chain_position IS NULL',
    );
    await database.query(`
      CREATE TABLE audit_chains (
        id uuid PRIMARY KEY,
        position bigint NOT NULL,
        hash bytea NOT NULL,
        pruned_position bigint NOT NULL DEFAULT 0,
        pruned_hash bytea NOT NULL
      )
    `);
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('DROP TABLE audit_chains');
    await database.query('DROP TABLE audit_events');
  }
}
