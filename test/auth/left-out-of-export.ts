const OWNER = 'the file is of this user';
const ACTING = 'only of a session in which a SYSTEM_ADMIN acts, which is not in the copy';
const HASH = 'a hash of a secret, which the owner must not have to keep either';

/** Columns that the copy of an account does not have, by table, with the reason. */
export const COLUMNS_LEFT_OUT: Record<string, Record<string, string>> = {
  users: { password_hash: HASH },
  last_logins: { user_id: OWNER },
  sessions: {
    user_id: OWNER,
    token_hash: HASH,
    former_token_hash: HASH,
    parent_id: ACTING,
    actor_id: ACTING,
    acting_org_id: ACTING,
    acting_may_write: ACTING,
  },
  known_devices: { user_id: OWNER, token_hash: HASH },
  email_changes: { user_id: OWNER },
  one_time_tokens: { user_id: OWNER, token_hash: HASH },
  identities: { user_id: OWNER },
  removed_identities: { user_id: OWNER },
  passkeys: { user_id: OWNER, public_key: 'of use to this service alone, which checks signatures with it' },
  totp_factors: {
    user_id: OWNER,
    secret: 'whoever reads it makes codes',
    last_step: 'which code was used last, by a number that says nothing to a person',
  },
  recovery_codes: { user_id: OWNER, code_hash: HASH },
  memberships: { user_id: OWNER },
  invitations: { token_hash: HASH, invited_by: 'another person, or the owner' },
  billing_customers: {
    user_id: OWNER,
    org_id: 'of an organization, and not of a person, where it is set',
    read_number: 'orders what was read from Stripe',
    unknown_at: 'a finding for the operator',
    livemode: 'in which mode the service uses Stripe',
  },
  outbox_mails: {
    content: 'has links that open an account',
    attempts: 'how the mail was sent, for the operator',
    last_error: 'how the mail was sent, for the operator',
    expires_at: 'how the mail was sent, for the operator',
    due_at: 'how the mail was sent, for the operator',
    leased_until: 'how the mail was sent, for the operator',
  },
  audit_events: {
    chain_id: 'proves that the record was not changed, to the operator',
    chain_position: 'proves that the record was not changed, to the operator',
    chain_hash: 'proves that the record was not changed, to the operator',
    chain_seal: 'proves that the record was not changed, to the operator',
  },
};

/** Tables of which the copy has nothing, with the reason. */
export const TABLES_LEFT_OUT: Record<string, string> = {
  organizations: 'not about a person; each membership has the name',
  org_roles: 'of an organization, and not of a person',
  keys: 'of an organization or of the operator: what programs present, and outlives who made it',
  key_secrets: 'of those keys',
  invitation_mails: 'counts the mails of an organization for a day, and names nobody',
  pending_logins: 'a login that is not finished may be of a stranger, and is over after ten minutes',
  signups: 'no account yet: until the address is verified, a stranger may have typed it',
  link_requests: 'a mail that is about to be written; it may be of a stranger who typed the address',
  mailed_codes: 'names nobody',
  used_states: 'names nobody',
  rate_limits: 'keys from which nobody can be told',
  stripe_attempts: 'what was asked of Stripe under which key; the customer is in the copy',
  stripe_events: 'ids of what Stripe sent, which name nobody',
  webhook_deliveries: 'when an audit event was sent on; the event is in the copy',
  webhook_outages: 'of the service',
  mail_outages: 'of the service',
  audit_chains: 'of the audit log as a whole',
  scheduled_jobs: 'of the service',
  daily_figures: 'counts, which name nobody',
  active_users: 'counts, which name nobody',
  migrations: 'of the service',
};
