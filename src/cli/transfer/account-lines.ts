import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { parse } from 'secure-json-parse';
import type { ImportedOrg, ImportedUser } from '../../accounts/imports.repository.js';
import { type OrgRole, type OwnRole, Role } from '../../http/role.js';
import { UpdateOrgPolicy } from '../../orgs/policy.dto.js';
import { faultOfHash } from '../../passwords/password-hasher.js';
import { canonicalAddress } from '../../validation/address.js';
import { canonicalLocale, isTimeZone } from '../../validation/locale.js';
import { canonicalName, MAX_NAME_CODE_POINTS } from '../../validation/name.js';
import { sentenceOf } from '../../validation/reasons.js';
import { isAddress } from '../../validation/rules.js';
import { Fields, isObject, matching } from './fields.js';

const MAX_LISTED = 100;

const ORG_ROLES: OrgRole[] = [Role.READONLY, Role.MEMBER, Role.ORG_ADMIN];
const OWN_ROLES: OwnRole[] = [Role.READONLY, Role.MEMBER];

const NAME = sentenceOf({ code: 'not_a_name', max: MAX_NAME_CODE_POINTS });

/** 80 bits at least, as the oldest apps have; RFC 4226 §4 asks for 128. */
const BASE32 = /^[A-Z2-7]{16,205}$/;

const HASH_FAULTS = {
  unknown_form: 'is in no form that is understood here; docs/moving.md lists the forms',
  too_costly: 'costs more than one login may',
};

/** An organization as a line names it: by its id here, by that elsewhere, or by both. */
interface OrgReference {
  id: string | null;
  externalId: string | null;
}

/** What an organization of a user is, before it is known whether it is there. */
export interface MembershipInLine extends OrgReference {
  /** With a name it is made where it is not there. */
  name: string | null;
  role: OrgRole;
  isSuspended: boolean;
  joinedAt: Date | null;
}

/** A user in a line. An id of null is one that is made at the import; so is `createdAt`. */
export interface UserLine extends Omit<ImportedUser, 'id' | 'memberships' | 'totpSecret'> {
  kind: 'user';
  id: string | null;
  memberships: MembershipInLine[];
  /** In Base32. */
  totpSecret: string | null;
}

/** An organization in a line. */
export interface OrgLine extends Omit<ImportedOrg, 'id'> {
  kind: 'org';
  id: string | null;
}

/** What a line says, and what is wrong with it. */
export interface ReadLine {
  account: UserLine | OrgLine;
  faults: string[];
}

/** Reads a line of an import. Returns a fault instead where it is no line of one at all. */
export function readLine(text: string): ReadLine | string {
  const object = parsed(text);
  if (!isObject(object)) return 'is not a JSON object';
  const faults: string[] = [];
  const fields = new Fields(object, faults);
  const org = fields.take('organization');
  if (org === null) return { account: readUser(fields, faults), faults };
  if (!isObject(org)) return 'has an organization that is not a JSON object';
  fields.refuseOthers();
  return { account: readOrg(new Fields(org, faults, 'organization.'), faults), faults };
}

function parsed(text: string): unknown {
  try {
    return parse(text, { protoAction: 'error', constructorAction: 'error' });
  } catch {
    return null;
  }
}

function readOrg(fields: Fields, faults: string[]): OrgLine {
  const org: OrgLine = {
    kind: 'org',
    id: fields.id('id'),
    externalId: fields.externalId(),
    name: fields.text('name', canonicalName, NAME) ?? '',
    locale: readLocale(fields),
    createdAt: fields.instant('created_at'),
    policy: readPolicy(fields),
  };
  if (org.name === '' && faults.length === 0) fields.refuse('name', NAME);
  // Without one of them a second run would make it once more.
  if (org.id === null && org.externalId === null && faults.length === 0)
    faults.push('organization needs an id or an external_id');
  fields.refuseOthers();
  return org;
}

/** By the rules of `PATCH /orgs/:org_id/policy`. */
function readPolicy(fields: Fields): ImportedOrg['policy'] {
  const given = fields.take('policy');
  if (given === null) return null;
  const policy = isObject(given) ? plainToInstance(UpdateOrgPolicy, given) : null;
  const options = { whitelist: true, forbidNonWhitelisted: true };
  if (policy === null || validateSync(policy, options).length > 0) {
    fields.refuse('policy', 'must be as GET /orgs/:org_id/policy answers it');
    return null;
  }
  return {
    secondFactor: policy.second_factor ?? false,
    idleMinutes: policy.idle_minutes ?? null,
    ageMinutes: policy.age_minutes ?? null,
    loginMethods: policy.login_methods ?? null,
    networks: policy.networks ?? null,
    acting: policy.acting ?? true,
  };
}

function readUser(fields: Fields, faults: string[]): UserLine {
  const email = fields.text('email', addressOf, sentenceOf({ code: 'not_an_address' }));
  if (email === null && faults.length === 0) fields.refuse('email', sentenceOf({ code: 'not_an_address' }));
  const user: UserLine = {
    kind: 'user',
    id: fields.id('id'),
    externalId: fields.externalId(),
    email: email ?? '',
    isVerified: fields.flag('email_verified'),
    name: fields.text('name', canonicalName, NAME),
    locale: readLocale(fields),
    timeZone: fields.text(
      'time_zone',
      (zone) => (isTimeZone(zone) ? zone : null),
      sentenceOf({ code: 'not_a_time_zone' }),
    ),
    createdAt: fields.instant('created_at'),
    isDisabled: fields.flag('disabled'),
    ownRole: readOwnRole(fields),
    passwordHash: readHash(fields),
    totpSecret: readTotp(fields),
    recoveryCodes: readRecoveryCodes(fields),
    identities: readIdentities(fields),
    passkeys: readPasskeys(fields),
    memberships: fields.list('organizations', MAX_LISTED, readMembership),
  };
  // The person who set these up has not proved the address either, and would stay once its owner does.
  if (!user.isVerified)
    for (const [name, has] of Object.entries({
      identities: user.identities.length > 0,
      passkeys: user.passkeys.length > 0,
      totp_secret: user.totpSecret !== null,
      recovery_code_hashes: user.recoveryCodes.length > 0,
    }))
      if (has) fields.refuse(name, 'must not come with an address that is not verified');
  for (const keyOf of [(each: OrgReference) => each.id, (each: OrgReference) => each.externalId])
    if (hasTwice(user.memberships.map(keyOf).filter((key) => key !== null)))
      fields.refuse('organizations', 'must be another one each');
  fields.refuseOthers();
  return user;
}

function addressOf(text: string): string | null {
  return isAddress(text) ? canonicalAddress(text) : null;
}

function readLocale(fields: Fields): string | null {
  return fields.text('locale', canonicalLocale, sentenceOf({ code: 'not_a_locale' }));
}

/** Who runs the service is said on the command line, by name, and by no file. */
function readOwnRole(fields: Fields): OwnRole {
  if (fields.take('role') === Role.SYSTEM_ADMIN) {
    fields.refuse('role', 'must not be sys_admin: appoint them with npm run cli -- create-admin');
    return Role.MEMBER;
  }
  return fields.oneOf('role', OWN_ROLES) ?? Role.MEMBER;
}

function readHash(fields: Fields): string | null {
  const hash = fields.text('password_hash', matching(/^[ -~]{1,2048}$/), HASH_FAULTS.unknown_form);
  const fault = hash === null ? null : faultOfHash(hash);
  if (fault !== null) fields.refuse('password_hash', HASH_FAULTS[fault]);
  return hash;
}

/** Base32, or the address that apps scan; with what every app can do, as the service has no other codes (RFC 6238). */
function readTotp(fields: Fields): string | null {
  return fields.text(
    'totp_secret',
    (text) => {
      const secret = text.startsWith('otpauth://') ? secretIn(text) : text;
      const base32 = secret?.replace(/[\s=-]/g, '').toUpperCase() ?? '';
      return BASE32.test(base32) ? base32 : null;
    },
    'must be a secret in Base32 of 16 letters and digits or more, or otpauth://totp/… with SHA1, 6 digits and 30 seconds',
  );
}

function secretIn(uri: string): string | null {
  if (!URL.canParse(uri)) return null;
  const { host, searchParams } = new URL(uri);
  const has = (name: string, value: string) => (searchParams.get(name) ?? value).toUpperCase() === value;
  const isCommon = has('algorithm', 'SHA1') && has('digits', '6') && has('period', '30');
  return host === 'totp' && isCommon ? searchParams.get('secret') : null;
}

/** SHA-256 of each code, as the service stores it. */
function readRecoveryCodes(fields: Fields): Buffer[] {
  const hashes = fields.texts('recovery_code_hashes', MAX_LISTED);
  if (hashes.every((hash) => typeof hash === 'string' && /^[\w-]{43}$/.test(hash)))
    return [...new Set(hashes as string[])].map((hash) => Buffer.from(hash, 'base64url'));
  fields.refuse('recovery_code_hashes', 'must be hashes of 32 bytes each in base64url');
  return [];
}

function readIdentities(fields: Fields): UserLine['identities'] {
  const identities = fields.list('identities', MAX_LISTED, (identity) => ({
    issuer: identity.text('issuer', matching(/^[!-~]{1,512}$/), 'must be the issuer of a provider') ?? '',
    subject: identity.text('subject', matching(/^[ -~]{1,255}$/), 'must be 1 to 255 ASCII characters') ?? '',
    email: identity.text('email', addressOf, sentenceOf({ code: 'not_an_address' })),
  }));
  if (identities.some(({ issuer, subject }) => issuer === '' || subject === ''))
    fields.refuse('identities', 'need an issuer and a subject each');
  if (hasTwice(identities.map(({ issuer }) => issuer)))
    fields.refuse('identities', 'must be one at each issuer');
  return identities;
}

function readPasskeys(fields: Fields): UserLine['passkeys'] {
  const passkeys = fields.list('passkeys', MAX_LISTED, (passkey) => ({
    rpId: passkey.text('rp_id', matching(/^[a-z0-9.-]{1,253}$/), 'must be the domain of the passkey') ?? '',
    credentialId: passkey.bytes('credential_id', { min: 16, max: 1023 }) ?? Buffer.alloc(0),
    publicKey: passkey.bytes('public_key', { min: 32, max: 4096 }) ?? Buffer.alloc(0),
    signCount: passkey.count('sign_count'),
    transports: passkey.texts('transports', MAX_LISTED).filter(isTransport),
    isBackupEligible: passkey.flag('backup_eligible'),
    isBackedUp: passkey.flag('backed_up'),
    name: passkey.text('name', canonicalName, NAME) ?? 'Passkey',
    createdAt: passkey.instant('created_at'),
    lastUsedAt: passkey.instant('last_used_at'),
  }));
  const isWhole = passkeys.every(
    ({ rpId, credentialId, publicKey }) => rpId !== '' && credentialId.length > 0 && publicKey.length > 0,
  );
  if (!isWhole) fields.refuse('passkeys', 'need an rp_id, a credential_id and a public_key each');
  return passkeys;
}

const isTransport = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z-]{1,32}$/.test(value);

function readMembership(fields: Fields): MembershipInLine {
  const membership = {
    id: fields.id('id'),
    externalId: fields.externalId(),
    name: fields.text('name', canonicalName, NAME),
    role: fields.oneOf('role', ORG_ROLES) ?? Role.MEMBER,
    isSuspended: fields.flag('suspended'),
    joinedAt: fields.instant('joined_at'),
  };
  if (membership.id === null && membership.externalId === null)
    fields.refuse('id', 'or external_id is needed');
  return membership;
}

function hasTwice(values: string[]): boolean {
  return new Set(values).size < values.length;
}
