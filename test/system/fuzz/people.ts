import { createHash } from 'node:crypto';
import { Role } from '../../../src/http/role.js';
import { PASSWORD } from '../../support/accounts.js';

// Two organizations, and people in and around them. All ids and tokens follow from names, so that a request that
// failed is the same request in the next run.

/** The id of something with a name. */
export const idOf = (name: string) => `01890000-0000-7000-8000-${hashOf(name).toString('hex').slice(0, 12)}`;

/** The token of something with a name, as long as real ones. */
export const tokenOf = (name: string) => hashOf(`token of ${name}`).toString('base64url');

/** What a table stores of the token of something with a name. */
export const tokenHashOf = (name: string) => hashOf(tokenOf(name));

export const addressOf = (name: string) => `${name}@example.com`;

const hashOf = (text: string) => createHash('sha256').update(text).digest();

/** The organization of most people who send requests, and the one that they may not reach. */
export const OURS = idOf('our organization');
export const THEIRS = idOf('their organization');

/** What the other organization and its people are called. */
export const THEIR_NAME = 'Strictly private';

export interface Person {
  role: Role;
  orgId: string | null;
}

/** The users in whose name requests are sent, by a name. */
export const SENDERS: Record<string, Person> = {
  readonly: { role: Role.READONLY, orgId: OURS },
  member: { role: Role.MEMBER, orgId: OURS },
  'org-admin': { role: Role.ORG_ADMIN, orgId: OURS },
  loner: { role: Role.MEMBER, orgId: null },
  'system-admin': { role: Role.SYSTEM_ADMIN, orgId: null },
  // In whose name the SYSTEM_ADMIN acts.
  'acted-for': { role: Role.ORG_ADMIN, orgId: OURS },
};

/** The users whom requests are about. */
const BYSTANDERS: Record<string, Person> = {
  'other-admin': { role: Role.ORG_ADMIN, orgId: OURS },
  'other-system-admin': { role: Role.SYSTEM_ADMIN, orgId: null },
  unverified: { role: Role.MEMBER, orgId: null },
  disabled: { role: Role.MEMBER, orgId: null },
};

/** The users whom no sender but a SYSTEM_ADMIN may reach. */
export const STRANGERS: Record<string, Person> = {
  'their-admin': { role: Role.ORG_ADMIN, orgId: THEIRS },
  'their-member': { role: Role.MEMBER, orgId: THEIRS },
};

export const PEOPLE = { ...SENDERS, ...BYSTANDERS, ...STRANGERS };

/** Whom a link of each purpose was mailed to. */
export const LINKS: Record<string, string> = {
  'reset-password': 'member',
  'secure-account': 'readonly',
  'change-email': 'loner',
  login: 'org-admin',
};

/** Whose signup waits for its link to be opened. */
export const SIGNED_UP = 'signed-up';
export const signupOf = (person: string) => `signup of ${person}`;

/** A custom role of each organization. */
export const OUR_ROLE = idOf('our role');
export const THEIR_ROLE = idOf('their role');

/** Who is invited, and to which organization. */
export const INVITED: Record<string, string> = { newcomer: OURS, loner: OURS, 'their-newcomer': THEIRS };

/** Who has an authenticator app, and waits for the second step of a login. */
export const HAS_APP = 'loner';
export const RECOVERY_CODE = '7Q4M-0ZK2-HX9T-C3VB';

/** What has a token: a session of each person, a link of each purpose, and the invitations. */
export const sessionOf = (person: string) => `session of ${person}`;
export const pendingLoginOf = (person: string) => `pending login of ${person}`;
export const invitationOf = (person: string) => `invitation of ${person}`;

/**
 * What belongs into cookies, mails and tables, and into no answer: tokens, and what is stored of them and of
 * passwords.
 */
export const CREDENTIALS = [
  PASSWORD,
  '$2b$04$',
  ...[
    ...Object.keys(PEOPLE).map(sessionOf),
    ...Object.keys(LINKS),
    ...Object.keys(INVITED).map(invitationOf),
    signupOf(SIGNED_UP),
    pendingLoginOf(HAS_APP),
  ].flatMap((name) => [
    tokenOf(name),
    tokenHashOf(name).toString('hex'),
    tokenHashOf(name).toString('base64'),
  ]),
];
