import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Users who never verified their address, and of whom no more is known than of a signup: they have a password, are no
 * SYSTEM_ADMIN, are alone in their organization or in none, and have nothing at the payment provider. A disabled user
 * stays: as a signup they could come back.
 */
const WAITING = `
  SELECT u.id, u.email, u.name, u.password_hash, u.created_at, u.org_id FROM users u
   WHERE u.email_verified_at IS NULL AND u.password_hash IS NOT NULL AND u.disabled_at IS NULL
     AND u.role <> 'sys_admin'
     AND NOT EXISTS (SELECT FROM users other WHERE other.org_id = u.org_id AND other.id <> u.id)
     AND NOT EXISTS (SELECT FROM billing_customers c WHERE c.user_id = u.id OR c.org_id = u.org_id)`;

const LIVE_LINKS = `
  SELECT array_agg(t.token_hash) FROM one_time_tokens t
   WHERE t.user_id = w.id AND t.purpose = 'verify-email' AND t.sent_to = w.email
     AND t.consumed_at IS NULL AND t.expires_at > now()`;

export class MoveUnverifiedUsersToSignups1795204800052 implements MigrationInterface {
  async up(database: QueryRunner): Promise<void> {
    // A signup has the id of its user until the users are gone. Each lives for a day, and may ask for a link at once.
    await database.query(`
      INSERT INTO signups (id, email, name, org_name, password_hash, token_hashes, mail_asked_at, created_at, expires_at)
      SELECT w.id, w.email, w.name, (SELECT o.name FROM organizations o WHERE o.id = w.org_id), w.password_hash,
             coalesce((${LIVE_LINKS}), '{}'), w.created_at, w.created_at, now() + interval '1 day'
        FROM (${WAITING}) w
    `);
    await database.query(`
      WITH gone AS (DELETE FROM users WHERE id IN (SELECT id FROM signups) RETURNING org_id)
      DELETE FROM organizations o USING gone WHERE o.id = gone.org_id
    `);

    await database.query(`
      UPDATE link_requests r SET signup_id = s.id FROM signups s WHERE s.email = r.email AND r.purpose = 'verify-email'
    `);
    await database.query(`DELETE FROM link_requests WHERE purpose <> 'reset-password' AND signup_id IS NULL`);
  }

  /** Signups that were not completed cannot go back to being users: more than one may have an address. They end. */
  async down(database: QueryRunner): Promise<void> {
    await database.query('DELETE FROM signups');
  }
}
