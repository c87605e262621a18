import { AuditEventSchema } from '../../audit/audit-event.view.js';
import {
  count,
  type Fields,
  flag,
  instant,
  list,
  nullable,
  object,
  orNull,
  text,
  uuid,
} from '../../validation/schema.js';

/** A part of the copy of an account: what one table holds about its user. */
export interface ExportedPart {
  /** The name of the part in the file. */
  name: string;
  table: string;
  /** The columns of the table `t` that the file has, under their own names. */
  columns: Fields;
  /** What the file says besides, as SQL. */
  more?: Record<string, string>;
  /** SQL for the rows of `t` that are about the user `u`. */
  isTheirs: string;
  /** Whether there is one row at most. */
  isSingle?: true;
}

const OF_USER = 't.user_id = u.id';

/** Until the address is verified, what was sent to it may be for somebody else. */
const TO_ADDRESS = 'u.email_verified_at IS NOT NULL';

const ORG_NAME = { org_name: '(SELECT o.name FROM organizations o WHERE o.id = t.org_id)' };

/**
 * What the copy of an account has of each table besides the audit log. A column that is neither here nor in the list of
 * those left out fails a test (`test/auth/export-columns.test.ts`), and so does a new table.
 */
export const EXPORTED_PARTS: readonly ExportedPart[] = [
  {
    name: 'user',
    table: 'users',
    columns: {
      id: uuid,
      email: text,
      external_id: nullable(text),
      email_verified_at: nullable(instant),
      name: nullable(text),
      locale: nullable(text),
      time_zone: nullable(text),
      own_role: text,
      password_changed_at: nullable(instant),
      disabled_at: nullable(instant),
      devices_forgotten_at: nullable(instant),
      created_at: instant,
    },
    isTheirs: 't.id = u.id',
    isSingle: true,
  },
  {
    name: 'last_login',
    table: 'last_logins',
    columns: { logged_in_at: instant },
    isTheirs: OF_USER,
    isSingle: true,
  },
  {
    name: 'sessions',
    table: 'sessions',
    columns: {
      id: uuid,
      auth_method: text,
      aal: count,
      raised_by: nullable(text),
      proven_by: list(text),
      authenticated_at: nullable(instant),
      ip: nullable(text),
      user_agent: nullable(text),
      created_at: instant,
      last_seen_at: instant,
      longest_idle: count,
      expires_at: instant,
      invalidated_at: nullable(instant),
    },
    // One in which a SYSTEM_ADMIN acts holds their address and browser; the audit events tell of it.
    isTheirs: `${OF_USER} AND t.actor_id IS NULL`,
  },
  {
    name: 'known_devices',
    table: 'known_devices',
    columns: { created_at: instant, last_seen_at: instant },
    isTheirs: OF_USER,
  },
  {
    name: 'email_changes',
    table: 'email_changes',
    columns: { id: uuid, old_email: text, expires_at: instant, undone_at: nullable(instant) },
    isTheirs: OF_USER,
  },
  {
    name: 'mailed_links',
    table: 'one_time_tokens',
    columns: {
      id: uuid,
      purpose: text,
      sent_to: text,
      created_at: instant,
      expires_at: instant,
      consumed_at: nullable(instant),
    },
    isTheirs: OF_USER,
  },
  {
    name: 'identities',
    table: 'identities',
    columns: { id: uuid, provider: text, subject: text, email: nullable(text), created_at: instant },
    isTheirs: OF_USER,
  },
  {
    name: 'removed_identities',
    table: 'removed_identities',
    columns: { provider: text, subject: text, removed_at: instant },
    isTheirs: OF_USER,
  },
  {
    name: 'passkeys',
    table: 'passkeys',
    columns: {
      id: uuid,
      rp_id: text,
      credential_id: text,
      sign_count: text,
      transports: list(text),
      backup_eligible: flag,
      backed_up: flag,
      name: text,
      created_at: instant,
      last_used_at: nullable(instant),
    },
    isTheirs: OF_USER,
  },
  {
    name: 'authenticator_app',
    table: 'totp_factors',
    columns: { created_at: instant, confirmed_at: nullable(instant) },
    isTheirs: OF_USER,
    isSingle: true,
  },
  {
    name: 'recovery_codes',
    table: 'recovery_codes',
    columns: { created_at: instant, kept_at: nullable(instant) },
    isTheirs: OF_USER,
  },
  {
    name: 'memberships',
    table: 'memberships',
    columns: {
      org_id: uuid,
      role: text,
      role_id: nullable(uuid),
      joined_at: instant,
      joined_by: text,
      entered_at: nullable(instant),
      suspended_at: nullable(instant),
    },
    more: ORG_NAME,
    isTheirs: OF_USER,
  },
  {
    name: 'organization_entries',
    table: 'org_entries',
    columns: { session_id: uuid, org_id: uuid, expires_at: instant },
    isTheirs: 't.session_id IN (SELECT s.id FROM sessions s WHERE s.user_id = u.id AND s.actor_id IS NULL)',
  },
  {
    name: 'invitations_received',
    table: 'invitations',
    columns: {
      id: uuid,
      org_id: uuid,
      email: text,
      role: text,
      role_id: nullable(uuid),
      locale: nullable(text),
      created_at: instant,
      expires_at: instant,
      accepted_at: nullable(instant),
      revoked_at: nullable(instant),
      declined_at: nullable(instant),
    },
    more: ORG_NAME,
    // One that ended before may have been for another account with this address.
    isTheirs: `t.email = u.email AND ${TO_ADDRESS}
      AND coalesce(t.accepted_at, t.declined_at, t.revoked_at, t.expires_at) >= u.email_verified_at`,
  },
  {
    // Whom they invited, and what those did with it, is about other people.
    name: 'invitations_sent',
    table: 'invitations',
    columns: {
      id: uuid,
      org_id: uuid,
      role: text,
      role_id: nullable(uuid),
      created_at: instant,
      expires_at: instant,
    },
    isTheirs: 't.invited_by = u.id',
  },
  {
    name: 'billing_customer',
    table: 'billing_customers',
    columns: {
      id: uuid,
      stripe_customer_id: nullable(text),
      email: nullable(text),
      subscription_id: nullable(text),
      item_id: nullable(text),
      status: nullable(text),
      price_id: nullable(text),
      quantity: nullable(count),
      current_period_end: nullable(instant),
      cancel_at_period_end: flag,
      past_due_since: nullable(instant),
      trial_used: flag,
      dunned_invoice_id: nullable(text),
      read_at: nullable(instant),
      created_at: instant,
    },
    isTheirs: OF_USER,
    isSingle: true,
  },
  {
    // Earlier ones may have been about another account with this address.
    name: 'mails',
    table: 'outbox_mails',
    columns: {
      id: uuid,
      kind: text,
      recipient: text,
      subject: text,
      language: text,
      created_at: instant,
      finished_at: nullable(instant),
      outcome: nullable(text),
    },
    isTheirs: `t.recipient = u.email AND ${TO_ADDRESS} AND t.created_at >= u.email_verified_at`,
  },
];

/** What the file is. */
export const ACCOUNT_EXPORT: Fields = {
  exported_at: instant,
  ...Object.fromEntries(EXPORTED_PARTS.map((part) => [part.name, schemaOf(part)])),
  audit_events: list(AuditEventSchema),
};

function schemaOf({ columns, more = {}, isSingle }: ExportedPart) {
  const row = object({
    ...columns,
    ...Object.fromEntries(Object.keys(more).map((name) => [name, nullable(text)])),
  });
  return isSingle ? orNull(row) : list(row);
}
