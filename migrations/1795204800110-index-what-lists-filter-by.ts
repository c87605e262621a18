import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  users_email_prefix_idx: 'users (email text_pattern_ops)',
  users_role_id_idx: 'users (role, id)',
  users_org_id_id_idx: 'users (org_id, id)',
  users_disabled_idx: 'users (id) WHERE disabled_at IS NOT NULL',
  outbox_mails_recipient_id_idx: 'outbox_mails (recipient, id)',
  outbox_mails_unsent_idx: "outbox_mails (outcome, id) WHERE outcome <> 'sent'",
  billing_customers_status_id_idx: 'billing_customers (status, id)',
  audit_events_type_id_idx: 'audit_events (type, id)',
};

export class IndexWhatListsFilterBy1795204800110 implements MigrationInterface {
  /** PostgreSQL builds an index beside the requests, which wait for nothing, only outside of a transaction. */
  readonly transaction = false;

  /** An index that was left unfinished, by a start that was cut off, is built anew. */
  async up(database: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES)) {
      await database.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await database.query(`CREATE INDEX CONCURRENTLY ${name} ON ${columns}`);
    }
    // Unused since 0.1: users_org_id_id_idx answers what it did.
    await database.query('DROP INDEX CONCURRENTLY IF EXISTS users_org_id_idx');
  }

  async down(database: QueryRunner): Promise<void> {
    await database.query('CREATE INDEX users_org_id_idx ON users (org_id)');
    for (const name of Object.keys(INDEXES)) await database.query(`DROP INDEX ${name}`);
  }
}
