import bcrypt from 'bcrypt';
import { hashRecoveryCode } from '../../../src/auth/second-factor/recovery-codes.js';
import { Encryption } from '../../../src/secrets/encryption.js';
import { PASSWORD } from '../../support/accounts.js';
import {
  addressOf,
  HAS_APP,
  INVITED,
  idOf,
  invitationOf,
  LINKS,
  OUR_ROLE,
  OURS,
  PEOPLE,
  pendingLoginOf,
  RECOVERY_CODE,
  SIGNED_UP,
  STRANGERS,
  sessionOf,
  signupOf,
  THEIR_NAME,
  THEIR_ROLE,
  THEIRS,
  tokenHashOf,
} from './people.js';
import { SECRETS } from './secrets.js';

const DAY_MS = 86_400_000;
const NOW = new Date();
const TOMORROW = new Date(NOW.getTime() + DAY_MS);

/** Bytes as PostgreSQL reads them. */
const bytes = (buffer: Buffer) => `\\x${buffer.toString('hex')}`;

/** What it reads of a token's hash. */
const stored = (name: string) => bytes(tokenHashOf(name));

/** What the session has in which the SYSTEM_ADMIN acts. */
const ACTING = {
  auth_method: 'acting',
  authenticated_at: null,
  parent_id: idOf(sessionOf('system-admin')),
  actor_id: idOf('system-admin'),
  acting_org_id: OURS,
  acting_may_write: true,
};

/** The rows of all people and of what they have, by table, but for when they were made. */
export const ROWS: Record<string, object[]> = {
  organizations: [
    { id: OURS, name: 'Initech', policy_acting: true },
    { id: THEIRS, name: THEIR_NAME, policy_acting: true },
  ],
  org_roles: [
    { org_id: OURS, id: OUR_ROLE, name: 'Archivist', base: 'member', permissions: [], changed_at: NOW },
    { org_id: THEIRS, id: THEIR_ROLE, name: THEIR_NAME, base: 'member', permissions: [], changed_at: NOW },
  ],
  users: Object.entries(PEOPLE).map(([name, { role, orgId }]) => ({
    id: idOf(name),
    email: addressOf(name),
    name: name in STRANGERS ? THEIR_NAME : 'Ada',
    own_role: role === 'sys_admin' || (role === 'readonly' && orgId === null) ? role : 'member',
    password_hash: bcrypt.hashSync(name in STRANGERS ? 'what nobody here knows' : PASSWORD, 4),
    password_changed_at: NOW,
    email_verified_at: name === 'unverified' ? null : NOW,
    disabled_at: name === 'disabled' ? NOW : null,
  })),
  memberships: Object.entries(PEOPLE)
    .filter(([, { orgId }]) => orgId !== null)
    .map(([name, { role, orgId }]) => ({
      user_id: idOf(name),
      org_id: orgId,
      role: role === 'sys_admin' ? 'org_admin' : role,
      role_id: name === 'their-member' ? THEIR_ROLE : null,
      joined_at: NOW,
      joined_by: 'invitation',
    })),
  sessions: Object.keys(PEOPLE).map((name) => ({
    id: idOf(sessionOf(name)),
    user_id: idOf(name),
    token_hash: stored(sessionOf(name)),
    auth_method: 'password',
    aal: 1,
    longest_idle: 0,
    proven_by: [],
    authenticated_at: NOW,
    last_seen_at: NOW,
    expires_at: TOMORROW,
    ...(name === 'acted-for' && ACTING),
  })),
  one_time_tokens: Object.entries(LINKS).map(([purpose, name]) => ({
    id: idOf(purpose),
    user_id: idOf(name),
    purpose,
    token_hash: stored(purpose),
    sent_to: addressOf(purpose === 'change-email' ? 'elsewhere' : name),
    expires_at: TOMORROW,
  })),
  signups: [
    {
      id: idOf(signupOf(SIGNED_UP)),
      email: addressOf(SIGNED_UP),
      password_hash: bcrypt.hashSync(PASSWORD, 4),
      token_hashes: [stored(signupOf(SIGNED_UP))],
      password_tries: 0,
      mail_asked_at: NOW,
      expires_at: TOMORROW,
    },
  ],
  invitations: Object.entries(INVITED).map(([name, org_id]) => ({
    id: idOf(invitationOf(name)),
    org_id,
    email: addressOf(name),
    role: 'member',
    token_hash: stored(invitationOf(name)),
    expires_at: TOMORROW,
  })),
  identities: [
    {
      id: idOf('identity'),
      user_id: idOf('member'),
      provider: 'https://idp.example',
      subject: 'ada',
    },
  ],
  removed_identities: [
    { user_id: idOf('member'), provider: 'https://idp.example', subject: 'eve', removed_at: NOW },
  ],
  pending_logins: [
    {
      token_hash: stored(pendingLoginOf(HAS_APP)),
      user_id: idOf(HAS_APP),
      auth_method: 'password',
      password_changed_at: NOW,
      expires_at: TOMORROW,
    },
  ],
  totp_factors: [
    {
      user_id: idOf(HAS_APP),
      secret: bytes(new Encryption([SECRETS.SVC_JWT_SECRET_KEY], 'totp').encrypt('JBSWY3DPEHPK3PXP')),
      last_step: 0,
      confirmed_at: NOW,
    },
  ],
  recovery_codes: [{ user_id: idOf(HAS_APP), code_hash: bytes(hashRecoveryCode(RECOVERY_CODE)) }],
  outbox_mails: [
    {
      id: idOf('mail'),
      kind: 'verification',
      recipient: addressOf('member'),
      subject: 'Confirm your email address',
      language: 'en',
      content: bytes(
        new Encryption([SECRETS.SVC_JWT_SECRET_KEY], 'mail').encrypt(
          '{"text":"Confirm it","html":"<p>Confirm it</p>"}',
        ),
      ),
      attempts: 75,
      due_at: NOW,
      finished_at: NOW,
      outcome: 'dead',
    },
  ],
  passkeys: [
    {
      id: idOf('passkey'),
      user_id: idOf('member'),
      rp_id: 'localhost',
      credential_id: stored('passkey'),
      public_key: stored('the key of the passkey'),
      sign_count: 0,
      transports: [],
      backup_eligible: true,
      backed_up: true,
      name: 'The phone',
    },
  ],
};
