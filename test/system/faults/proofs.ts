import type { AuditType } from '../../../src/audit/audit-types.js';
import type { TestDatabase } from '../../support/test-database.js';
import type { Acknowledged } from './ledger.js';

/** What the database must hold when a write was acknowledged; `said` is what the ledger has of it. */
const ROWS: Partial<Record<AuditType, string>> = {
  'account.created': `EXISTS (SELECT FROM users JOIN outbox_mails ON recipient = users.email AND kind = 'verification'
                               WHERE users.email = said.email)`,
  'email.verified': 'EXISTS (SELECT FROM users WHERE email = said.email AND email_verified_at IS NOT NULL)',
  'login.succeeded': 'EXISTS (SELECT FROM sessions WHERE id = said.fact::uuid)',
  logout: 'EXISTS (SELECT FROM sessions WHERE id = said.fact::uuid AND invalidated_at IS NOT NULL)',
  'account.updated': `EXISTS (SELECT FROM users WHERE email = said.email AND name::int >= said.fact::int)`,
  'invitation.sent': 'EXISTS (SELECT FROM invitations WHERE id = said.fact::uuid)',
  'member.joined':
    'EXISTS (SELECT FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = said.email AND m.org_id = said.fact::uuid)',
};

/** Each acknowledged write has an audit event: as many of a kind about an account as were acknowledged. */
const EVENTS = `
  SELECT said.event, said.email, said.times
    FROM (SELECT event, email, count(*) AS times FROM jsonb_to_recordset($1) AS all_said (event text, email text)
           GROUP BY event, email) AS said
   WHERE said.times > (SELECT count(*) FROM users u JOIN audit_events e ON u.id IN (e.user_id, e.actor_id)
                        WHERE u.email = said.email AND e.type = said.event)`;

/** Rows that a database may not hold when all came through the API, by what they would mean. */
const HALVES: Record<string, string> = {
  'an account without its event': `
    SELECT email FROM users u WHERE NOT EXISTS (
      SELECT FROM audit_events e WHERE e.user_id = u.id AND type IN ('account.created', 'member.joined'))`,
  'an organization without an admin': `
    SELECT id FROM organizations o WHERE NOT EXISTS (SELECT FROM memberships m WHERE m.org_id = o.id AND m.role = 'org_admin')`,
  // The link of an invitation verifies the address, too.
  'a verification without its event, or an event without it': `
    SELECT email FROM users u WHERE (email_verified_at IS NOT NULL) <> (
      EXISTS (SELECT FROM audit_events e WHERE e.user_id = u.id AND type = 'email.verified')
      OR EXISTS (SELECT FROM invitations i WHERE i.email = u.email AND accepted_at IS NOT NULL))`,
  'sessions that are not as many as logins succeeded': `
    SELECT email FROM users u
     WHERE (SELECT count(*) FROM sessions s WHERE s.user_id = u.id)
        <> (SELECT count(*) FROM audit_events e WHERE e.user_id = u.id AND type = 'login.succeeded')`,
  'changes of password that are not as many as mails about them': `
    SELECT email FROM users u
     WHERE (SELECT count(*) FROM audit_events e WHERE e.user_id = u.id AND type = 'password.changed')
        <> (SELECT count(*) FROM outbox_mails m WHERE m.recipient = u.email AND kind = 'password-changed')`,
  'a password changed at another time than its event says': `
    SELECT email FROM users u JOIN audit_events e ON e.user_id = u.id AND type = 'password.changed'
     GROUP BY u.id HAVING max(e.created_at) <> password_changed_at`,
  'an invitation without its mail': `
    SELECT email FROM invitations i
     WHERE NOT EXISTS (SELECT FROM outbox_mails m WHERE m.recipient = i.email AND kind = 'invitation')`,
  'an invitation without its event': `
    SELECT email FROM invitations i WHERE NOT EXISTS (
      SELECT FROM audit_events e WHERE type = 'invitation.sent' AND details->>'invitation_id' = i.id::text)`,
  'an invitation accepted without a member, or a member without it': `
    SELECT i.email FROM invitations i LEFT JOIN (memberships m JOIN users u ON u.id = m.user_id) ON u.email = i.email AND m.org_id = i.org_id
     WHERE (accepted_at IS NULL) <> (u.id IS NULL)`,
  'a role other than the last event says': `
    SELECT email FROM users u JOIN LATERAL (
      SELECT details->>'to' AS role FROM audit_events e WHERE e.user_id = u.id AND type = 'role.changed'
       ORDER BY created_at DESC, id DESC LIMIT 1) last ON last.role <> u.role`,
  'a mail that was not sent': `SELECT id FROM outbox_mails WHERE outcome IS DISTINCT FROM 'sent'`,
};

/** The acknowledged writes of which something is missing in the database. */
export async function lostOf(database: TestDatabase, acknowledged: Acknowledged[]): Promise<unknown[]> {
  const lost = await database.rows(EVENTS, [JSON.stringify(acknowledged)]);
  for (const [event, isThere] of Object.entries(ROWS)) {
    const said = JSON.stringify(acknowledged.filter((write) => write.event === event));
    const sql = `SELECT * FROM jsonb_to_recordset($1) AS said (event text, email text, fact text) WHERE NOT ${isThere}`;
    lost.push(...(await database.rows(sql, [said])));
  }
  return lost;
}

/** What was written by halves, as sentences. */
export async function halvesIn(database: TestDatabase): Promise<string[]> {
  const found: string[] = [];
  for (const [half, sql] of Object.entries(HALVES))
    for (const row of await database.rows(sql)) found.push(`${half}: ${Object.values(row)}`);
  return found;
}
