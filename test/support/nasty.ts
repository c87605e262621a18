import { randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { AUDIT_TYPES } from '../../src/audit/audit-types.js';
import { Role } from '../../src/http/role.js';
import { crowd, invitationFor, type Person } from './crowd.js';
import type { TestApp } from './test-app.js';
import type { TestDatabase } from './test-database.js';

const MEMBERS = 1200;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The chain of events that concern no organization. */
const NO_ORG = '00000000-0000-0000-0000-000000000000';

/** A surname of 35 letters, which a person has had. */
const SURNAME = 'Wolfeschlegelsteinhausenbergerdorff';
/** 95 characters, of which 80 are one word. */
const COMPANY =
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft & Sohn in Linz';

const ORG_NAMES = [
  COMPANY,
  'شركة التطوير والاستثمار العقاري والتجارة الدولية المحدودة',
  '株式会社日本国際情報技術研究開発機構東京本部',
  'Initech',
  'The Society for the Encouragement of Arts, Manufactures, Commerce and Analytical Engines of 1754',
  'Globex & Sons <b>GmbH</b>',
  'Ö',
  'Analytical Engines',
];

const NAMES = [
  `Hubert Blaine ${SURNAME}`,
  'عبد الرحمن بن عبد العزيز بن محمد الفيصل آل سعود',
  '寿限無寿限無五劫の擦り切れ海砂利水魚の水行末',
  'Ada Lovelace',
  null,
  'María de los Ángeles Fernández-Cortés y Rodríguez de la Fuente',
];

const PASSKEY = `Samsung Galaxy S26 Ultra of ${SURNAME}`;
const SUBJECT = `${COMPANY} requires a second factor`;

/** What may break within a word where it is too long for its line. */
export const NASTY_NAMES: readonly string[] = [...ORG_NAMES, ...NAMES.filter((name) => name !== null)];

/** All that people have written, and a mail in another language than the page may be. */
export const NASTY_VALUES: readonly string[] = [...NASTY_NAMES, PASSKEY, SUBJECT];

/** As the networks of phones give them: nothing in them is short enough to be left out. */
const ADDRESSES = [
  '2a01:4f8a:c17c:b23d:5e8f:91d2:a4b6:7c3e',
  '2003:c7af:3f1e:9b45:d8a2:6c1f:fe73:2b91',
  '203.113.137.249',
];

const DEVICES = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 16; Pixel 10 Pro XL) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  'python-requests/2.32.3',
  null,
];

/** The people who look at it, and the ids that addresses need. */
export interface Nasty {
  system: Person;
  /** The admin of the organization with the long name and the 1,200 members. */
  admin: Person;
  member: Person;
  /** One who has a passkey, a linked login and no organization. */
  loner: Person;
  /** One who was disabled, and to whom much was done. */
  disabled: Person;
  orgId: string;
  /** An organization without members. */
  emptyOrgId: string;
  /** Tokens of invitations: of a new address, and of that of the loner. */
  invitations: { newcomer: string; loner: string };
}

/**
 * Fills a database with what breaks a layout that was tried with neat data: long names, full IPv6 addresses, addresses of 50
 * characters, answers of mail servers, 1,200 members of one organization, letters that run the other way.
 */
export async function seedNasty({ database }: TestApp): Promise<Nasty> {
  const orgs = await makeOrgs(database);
  const [orgId = '', arabic = '', japanese = ''] = orgs;
  const [system, ...otherSystem] = await people(database, 3, 0, { role: Role.SYSTEM_ADMIN });
  const [admin, ...otherAdmins] = await people(database, 3, 10, { role: Role.ORG_ADMIN, orgId });
  const members = await people(database, MEMBERS - 3, 100, { orgId });
  const [loner, disabled, ...others] = await people(database, 20, 20);
  const foreign = [
    ...(await people(database, 6, 50, { role: Role.READONLY, orgId: arabic })),
    ...(await people(database, 6, 60, { role: Role.ORG_ADMIN, orgId: japanese })),
  ];
  // The first has a passkey.
  const [, member] = members;
  if (!system || !admin || !member || !loner || !disabled) throw new Error('somebody was not made');

  await spoil(database, { disabled: [disabled, ...others.slice(0, 5)], unverified: others.slice(5, 9) });
  const everybody = [system, admin, ...otherSystem, ...otherAdmins, member, loner, disabled, ...foreign];
  await addFactors(database, [loner, ...members.filter((_, index) => index % 3 === 0)]);
  await addLogins(database, [loner, admin, disabled, ...otherAdmins]);
  await addSessions(database, everybody);
  await addEvents(database, everybody, orgs);
  await addMails(database, members);
  await addCustomers(database, orgs.slice(0, 4), others);
  await addInvitations(database, orgId, admin);
  const invitations = {
    newcomer: await invitationFor(database, addressOf(990_001), orgId),
    loner: await invitationFor(database, loner.email, orgId),
  };
  return { system, admin, member, loner, disabled, orgId, emptyOrgId: orgs.at(-1) ?? '', invitations };
}

/** An address of 50 characters. */
function addressOf(number: number): string {
  return `hubert.wolfeschlegelsteinhausen.${String(number).padStart(6, '0')}@example.com`;
}

async function makeOrgs(database: TestDatabase): Promise<string[]> {
  const ids = ORG_NAMES.map((_, index) => idAt(30 * 24 * HOUR_MS - index * HOUR_MS));
  await database.rows(
    `INSERT INTO organizations (id, name, created_at)
     SELECT id, name, now() - interval '30 days' FROM unnest($1::uuid[], $2::text[]) AS orgs (id, name)`,
    [ids, ORG_NAMES],
  );
  await database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [ids[2]]);
  return ids;
}

/** People with long addresses, which are numbered from a first one, and with one of the names each. */
async function people(
  database: TestDatabase,
  size: number,
  firstNumber: number,
  belonging: { role?: Role; orgId?: string } = {},
): Promise<Person[]> {
  const made = await crowd(database, size, belonging);
  const named = made.map((person, index) => ({ ...person, email: addressOf(firstNumber + index) }));
  await database.rows(
    `UPDATE users u SET email = p.email, name = p.name
       FROM unnest($1::uuid[], $2::text[], $3::text[]) AS p (id, email, name) WHERE u.id = p.id`,
    [
      named.map(({ id }) => id),
      named.map(({ email }) => email),
      named.map((_, index) => NAMES[index % NAMES.length]),
    ],
  );
  return named;
}

async function spoil(
  database: TestDatabase,
  { disabled, unverified }: Record<'disabled' | 'unverified', Person[]>,
): Promise<void> {
  await database.rows('UPDATE users SET disabled_at = now() WHERE id = ANY($1)', [idsOf(disabled)]);
  await database.rows('UPDATE users SET email_verified_at = NULL WHERE id = ANY($1)', [idsOf(unverified)]);
}

async function addFactors(database: TestDatabase, owners: Person[]): Promise<void> {
  await database.rows(
    `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, backup_eligible, backed_up, name, last_used_at)
     SELECT gen_random_uuid(), id, 'localhost', sha256(id::text::bytea), '\\x00', 0, true, true,
            '${PASSKEY}', now()
       FROM unnest($1::uuid[]) AS owners (id)`,
    [idsOf(owners)],
  );
}

async function addLogins(database: TestDatabase, owners: Person[]): Promise<void> {
  await database.rows(
    `INSERT INTO identities (id, user_id, provider, subject, email)
     SELECT gen_random_uuid(), id, 'https://login.example.com/realms/production', id::text, email FROM users
      WHERE id = ANY($1)`,
    [idsOf(owners)],
  );
}

async function addSessions(database: TestDatabase, owners: Person[]): Promise<void> {
  for (const [index, ip] of ADDRESSES.entries())
    await database.rows(
      `INSERT INTO sessions (id, user_id, token_hash, auth_method, ip, user_agent, authenticated_at, expires_at)
       SELECT gen_random_uuid(), id, $2 || uuid_send(id), 'passkey', $3, $4, now(), now() + interval '1 day'
         FROM unnest($1::uuid[]) AS owners (id)`,
      [idsOf(owners), randomBytes(16), ip, DEVICES[index]],
    );
}

/** Each act that is recorded, done by some to others, from every device and address; some of them by users who are gone. */
async function addEvents(database: TestDatabase, everybody: Person[], orgs: string[]): Promise<void> {
  const gone = uuidv7();
  const details: Record<string, object> = {
    'role.changed': { from: 'readonly', to: 'org_admin' },
    'login.failed': { reason: 'IncorrectPassword' },
    'login.succeeded': { method: 'password' },
    'access.refused': { code: 'InsufficientRole' },
    'session.ended': { ended: '0198c1f2-0000-7000-8000-000000000000' },
  };
  const types = AUDIT_TYPES;
  const ids = idsOf(everybody);
  const events = Array.from({ length: 6 * types.length }, (_, index) => {
    const orgId = index % 3 === 0 ? (orgs[0] ?? null) : (orgs[index % orgs.length] ?? null);
    return {
      id: idAt((6 * types.length - index) * MINUTE_MS),
      type: types[index % types.length] ?? '',
      actor: index % 11 === 0 ? gone : ids[index % 5],
      user: ids[(index * 7) % ids.length],
      org: index % 4 === 0 ? null : orgId,
      ip: ADDRESSES[index % ADDRESSES.length],
      userAgent: DEVICES[index % DEVICES.length],
      details: JSON.stringify(details[types[index % types.length] ?? ''] ?? {}),
    };
  });
  await database.rows(
    `INSERT INTO audit_events (id, type, actor_id, user_id, org_id, chain_id, ip, user_agent, details)
     SELECT id, type, actor, "user", org, coalesce(org, $2), ip, "userAgent", details::jsonb
       FROM json_to_recordset($1) AS e (id uuid, type text, actor uuid, "user" uuid, org uuid, ip text, "userAgent" text, details text)`,
    [JSON.stringify(events), NO_ORG],
  );
}

/** Mails in each state; what the servers said of those that failed quotes the recipient, in 200 characters. */
async function addMails(database: TestDatabase, recipients: Person[]): Promise<void> {
  const states = ['dead', 'sent', 'expired', null];
  for (const [index, { email }] of recipients.slice(0, 60).entries()) {
    const outcome = states[index % states.length];
    const error =
      `smtp answered 550 5.1.1 <${email}>: Recipient address rejected: User unknown in virtual mailbox table; ` +
      'see https://support.mail.example.com/answer/NoSuchUser?client=smtp-out-0987654321 for the reason';
    await database.rows(
      `INSERT INTO outbox_mails (id, kind, recipient, subject, attempts, last_error, due_at, finished_at, outcome)
       VALUES ($1, 'organization-second-factor-required', $2, $3, 12, $4, now() + interval '1 day', $5, $6)`,
      [
        idAt((60 - index) * MINUTE_MS),
        email,
        SUBJECT,
        outcome === 'sent' ? null : error.slice(0, 200),
        outcome === null ? null : new Date(),
        outcome,
      ],
    );
  }
}

async function addCustomers(database: TestDatabase, orgs: string[], payers: Person[]): Promise<void> {
  const statuses = ['active', 'past_due', 'incomplete', 'trialing', 'canceled', 'unpaid', 'paused'];
  const owners = [
    ...orgs.map((id) => ({ org: id, user: null })),
    ...idsOf(payers.slice(9)).map((id) => ({ org: null, user: id })),
  ];
  for (const [index, { org, user }] of owners.entries()) {
    const status = statuses[index % statuses.length];
    await database.rows(
      `INSERT INTO billing_customers (id, org_id, user_id, stripe_customer_id, subscription_id, status, price_id, quantity,
                                      current_period_end, cancel_at_period_end, past_due_since, read_at)
       VALUES ($1, $2, $3, $4, $5, $6, 'price_monthly', 1200, now() + interval '20 days', $7, $8, now())`,
      [
        uuidv7(),
        org,
        user,
        `cus_nasty${index}`,
        `sub_nasty${index}`,
        status,
        index % 2 === 1,
        status === 'past_due' ? new Date() : null,
      ],
    );
  }
}

/** Invitations of each status. */
async function addInvitations(database: TestDatabase, orgId: string, { id: sender }: Person): Promise<void> {
  for (let index = 0; index < 12; index++)
    await database.rows(
      `INSERT INTO invitations (id, org_id, email, role, token_hash, invited_by, expires_at, accepted_at, revoked_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(hours => $7), $8, $9)`,
      [
        idAt((12 - index) * MINUTE_MS),
        orgId,
        addressOf(980_000 + index),
        ['readonly', 'member', 'org_admin'][index % 3],
        randomBytes(32),
        sender,
        index % 4 === 0 ? -1 : 72,
        index % 4 === 1 ? new Date() : null,
        index % 4 === 2 ? new Date() : null,
      ],
    );
}

function idsOf(some: Person[]): string[] {
  return some.map(({ id }) => id);
}

/** An id as the service makes it, some time ago. */
function idAt(millisecondsAgo: number): string {
  const hex = (Date.now() - millisecondsAgo).toString(16).padStart(12, '0');
  const random = randomBytes(8).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(4)}`;
}
