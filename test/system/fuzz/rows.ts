import bcrypt from 'bcrypt';
import { PASSWORD } from '../../support/accounts.js';
import {
  addressOf,
  INVITED,
  idOf,
  invitationOf,
  LINKS,
  OURS,
  PEOPLE,
  SIGNED_UP,
  STRANGERS,
  sessionOf,
  signupOf,
  THEIR_NAME,
  THEIRS,
  tokenHashOf,
} from './people.js';

const DAY_MS = 86_400_000;
const NOW = new Date();
const TOMORROW = new Date(NOW.getTime() + DAY_MS);

/** A token's hash as PostgreSQL reads bytes. */
const stored = (name: string) => `\\x${tokenHashOf(name).toString('hex')}`;

/** The rows of all people and of what they have, by table, but for when they were made. */
export const ROWS: Record<string, object[]> = {
  organizations: [
    { id: OURS, name: 'Initech' },
    { id: THEIRS, name: THEIR_NAME },
  ],
  users: Object.entries(PEOPLE).map(([name, { role, orgId: org_id }]) => ({
    id: idOf(name),
    email: addressOf(name),
    name: name in STRANGERS ? THEIR_NAME : 'Ada',
    role,
    org_id,
    password_hash: bcrypt.hashSync(name in STRANGERS ? 'what nobody here knows' : PASSWORD, 4),
    password_changed_at: NOW,
    email_verified_at: name === 'unverified' ? null : NOW,
    disabled_at: name === 'disabled' ? NOW : null,
  })),
  sessions: Object.keys(PEOPLE).map((name) => ({
    id: idOf(sessionOf(name)),
    user_id: idOf(name),
    token_hash: stored(sessionOf(name)),
    auth_method: 'password',
    aal: 1,
    authenticated_at: NOW,
    last_seen_at: NOW,
    expires_at: TOMORROW,
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
