import { applyDecorators } from '@nestjs/common';
import { Transform, Type } from 'class-transformer';
import {
  IsInt,
  isEmail,
  isISO8601,
  isObject,
  isRFC3339,
  isUUID,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';
import { canonicalAddress, canonicalPrefix } from './address.js';
import { check } from './check.js';
import { canonicalLocale, isTimeZone } from './locale.js';
import { canonicalName, MAX_NAME_CODE_POINTS } from './name.js';
import { canonicalNetwork } from './network.js';
import type { Reason } from './reasons.js';
import { anything, flag, instant, type JsonSchema } from './schema.js';
import { MAX_TYPED_CODE_LENGTH, typedBase32, typedCode } from './typed-code.js';

const MAX_ADDRESS_LENGTH = 254;
const MAX_PASSWORD_CODE_POINTS = 256;
const MAX_TOKEN_LENGTH = 128;
const MAX_IDS = 100;
const MAX_NETWORKS = 50;
const MAX_AT_ONCE = 100;
const MAX_PATH_LENGTH = 1024;
const MAX_AUDIENCE_LENGTH = 128;

/** Browsers resolve these before they send a path, and `%2e` counts as a dot: `/..//evil.example` is another origin. */
const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|$)/i;

/** Unlike IsOptional it lets null be checked, for a field that cannot be null. */
export const IfGiven = () => ValidateIf((_, value) => value !== undefined);

/** For a field that another one of the body can stand for. */
export const UnlessGiven = (other: string) => ValidateIf((body) => (body[other] ?? null) === null);

/** For a field that is checked where it is given, and has to be where another one of the body is not. */
export const UnlessOther = <Body>(own: keyof Body, ...others: (keyof Body)[]) =>
  ValidateIf((body: Body) => body[own] !== undefined || others.every((other) => body[other] === undefined));

/** A whole number between two bounds. */
export function WholeNumber({ min, max }: { min: number; max: number }): PropertyDecorator {
  return applyDecorators(
    Type(() => Number),
    IsInt(),
    Min(min, { context: { code: 'too_small', min } satisfies Reason }),
    Max(max, { context: { code: 'too_large', max } satisfies Reason }),
  );
}

/** An email address, taken in its canonical form. */
export function IsAddress(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? (canonicalAddress(value) ?? value) : value)),
    check(
      'isAddress',
      isAddress,
      { code: 'not_an_address' },
      {
        type: 'string',
        format: 'email',
        maxLength: MAX_ADDRESS_LENGTH,
        examples: ['ada@example.com'],
      },
    ),
  );
}

/** A BCP 47 tag, taken in its canonical form. */
export function IsLocale(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? (canonicalLocale(value) ?? value) : value)),
    check(
      'isLocale',
      isLocale,
      { code: 'not_a_locale' },
      { type: 'string', maxLength: 35, examples: ['de-CH'] },
    ),
  );
}

/** A time zone of the IANA database. */
export function IsTimeZone(): PropertyDecorator {
  const isZone = (value: unknown) => typeof value === 'string' && isTimeZone(value);
  const schema = { type: 'string', examples: ['Europe/Zurich'] } as const;
  return check('isTimeZone', isZone, { code: 'not_a_time_zone' }, schema);
}

/** Texts that may be addresses, each of which the handler looks at: one that is none refuses not the others. */
export function IsAddressTexts(): PropertyDecorator {
  return check(
    'isAddressTexts',
    isAddressTexts,
    { code: 'not_so_many_addresses', max: MAX_AT_ONCE },
    {
      type: 'array',
      items: { type: 'string', maxLength: MAX_ADDRESS_LENGTH },
      minItems: 1,
      maxItems: MAX_AT_ONCE,
      examples: [['ada@example.com', 'grace@example.com']],
    },
  );
}

function isAddressTexts(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_AT_ONCE &&
    value.every(isShortText(MAX_ADDRESS_LENGTH))
  );
}

/** How an address may begin, taken in its canonical form. */
export function IsAddressPrefix(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? (canonicalPrefix(value) ?? value) : value)),
    check(
      'isAddressPrefix',
      isAddressPrefix,
      { code: 'not_an_address_prefix' },
      {
        type: 'string',
        maxLength: MAX_ADDRESS_LENGTH,
        examples: ['ada@'],
      },
    ),
  );
}

/** A part of a text to look for. With an @ in it, it is a part of an address, taken in its canonical form. */
export function IsSearch(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) =>
      isSearch(value) && value.includes('@') ? (canonicalPrefix(value) ?? value) : value,
    ),
    check(
      'isSearch',
      isSearch,
      { code: 'not_a_search', max: MAX_ADDRESS_LENGTH },
      {
        type: 'string',
        minLength: 1,
        maxLength: MAX_ADDRESS_LENGTH,
        examples: ['lovelace'],
      },
    ),
  );
}

/** A name of a person, an organization or a passkey, taken in its canonical form. */
export function IsName(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? (canonicalName(value) ?? value) : value)),
    check(
      'isName',
      isName,
      { code: 'not_a_name', max: MAX_NAME_CODE_POINTS },
      {
        type: 'string',
        minLength: 1,
        maxLength: MAX_NAME_CODE_POINTS,
        examples: ['Ada Lovelace'],
      },
    ),
  );
}

/** A text of one line or several, counted in code points. PostgreSQL has no text with a NUL in it. */
export function IsText({ max }: { max: number }): PropertyDecorator {
  const isText = (value: unknown) => isShortText(max)(value) && value !== '' && !value.includes('\0');
  return check(
    'isText',
    isText,
    { code: 'not_a_text', max },
    {
      type: 'string',
      minLength: 1,
      maxLength: max,
      examples: ['Call Ada back'],
    },
  );
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && canonicalName(value) !== null;
}

/**
 * A password as a person typed it: any characters, never trimmed. A lone surrogate is refused because UTF-8
 * has no form for it, so that two different passwords would count as one.
 */
export function IsPassword(): PropertyDecorator {
  return check(
    'isPassword',
    (value) => isShortText(MAX_PASSWORD_CODE_POINTS)(value) && value !== '',
    { code: 'not_a_password', max: MAX_PASSWORD_CODE_POINTS },
    {
      type: 'string',
      format: 'password',
      minLength: 1,
      maxLength: MAX_PASSWORD_CODE_POINTS,
      examples: ['a long pass phrase'],
    },
  );
}

/** A secret from a mailed link; one of another form was never issued. */
export function IsToken(): PropertyDecorator {
  return check(
    'isToken',
    isToken,
    { code: 'not_a_token' },
    {
      type: 'string',
      maxLength: MAX_TOKEN_LENGTH,
      examples: ['4yWAVD6HrN0wDj6RdzH7T3nD2p9ZtPq3c1VXYhM8kQk'],
    },
  );
}

function isToken(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_TOKEN_LENGTH && /^[\w-]+$/.test(value);
}

/**
 * Refuses what `isEmail` allows in a quoted local part, line breaks and escape sequences among it, and what cannot be
 * seen: the address goes into headers, and before people's eyes. In this order: `isEmail` throws at a lone surrogate.
 */
export function isAddress(value: unknown): value is string {
  return (
    isShortText(MAX_ADDRESS_LENGTH)(value) &&
    !/["\s\p{Cc}\p{Cf}\p{Z}]/u.test(value) &&
    isEmail(value) &&
    canonicalAddress(value) !== null
  );
}

/** Some of a few values, each once. */
export function IsSomeOf(values: readonly string[]): PropertyDecorator {
  return check(
    'isSomeOf',
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      new Set(value).size === value.length &&
      value.every((each) => values.includes(each)),
    { code: 'not_one_of' },
    {
      type: 'array',
      items: { type: 'string', enum: [...values] },
      minItems: 1,
      maxItems: values.length,
      uniqueItems: true,
    },
  );
}

/** CIDR blocks, taken in their canonical form. */
export function IsNetworks(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (Array.isArray(value) ? value.map(asNetwork) : value)),
    check(
      'isNetworks',
      (value) =>
        Array.isArray(value) &&
        value.length > 0 &&
        value.length <= MAX_NETWORKS &&
        value.every((each) => typeof each === 'string' && canonicalNetwork(each) !== null),
      { code: 'not_so_many_networks', max: MAX_NETWORKS },
      {
        type: 'array',
        items: { type: 'string', maxLength: 49 },
        minItems: 1,
        maxItems: MAX_NETWORKS,
        examples: [['192.0.2.0/24', '2001:db8::/32']],
      },
    ),
  );
}

const asNetwork = (value: unknown) =>
  typeof value === 'string' ? (canonicalNetwork(value) ?? value) : value;

/** Ids in a query, separated by commas. */
export function IsIdList(): PropertyDecorator {
  return applyDecorators(
    // A list is that of a parameter which was given twice.
    Transform(({ value }) => (typeof value === 'string' ? value.split(',') : value && [value])),
    check(
      'isIdList',
      isIdList,
      { code: 'not_so_many_ids', max: MAX_IDS },
      {
        type: 'string',
        maxLength: MAX_IDS * 37 - 1,
        examples: ['019aa4f2-3c1e-7d55-b1b0-0f3f6c2d9a11,019aa4f2-3c1e-7d55-b1b0-0f3f6c2d9a12'],
      },
    ),
  );
}

/** `true` or `false` in a query. */
export function IsFlagText(): PropertyDecorator {
  const flags: Record<string, boolean> = { true: true, false: false };
  return applyDecorators(
    Transform(({ value }) => flags[value] ?? value),
    check('isFlagText', (value) => typeof value === 'boolean', { code: 'not_a_flag' }, flag),
  );
}

/** The organization that a rule of a proxy asks about: one by its id, that of the header, or none. */
export function IsOrgOfRule(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    check(
      'isOrgOfRule',
      (value) => value === 'header' || value === 'none' || isUUID(value),
      { code: 'not_an_org_of_rule' },
      { type: 'string', examples: ['header'] },
    ),
  );
}

/** An organization by its id, or none. */
export function IsOrgOrNone(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    check(
      'isOrgOrNone',
      (value) => value === 'none' || isUUID(value),
      { code: 'not_an_id' },
      { type: 'string', examples: ['none'] },
    ),
  );
}

/** Why an admin acts for a user. */
export const MAX_REASON_CODE_POINTS = 200;

const MAX_PERMISSIONS_OF_RULE = 5;

/** A body has 200 values at most. */
export const MAX_PERMISSIONS_OF_ROLE = 190;

const MAX_PERMISSION_LENGTH = 64;

/** The method of a request, as a rule of a proxy states it, or the header that has it. */
export function IsMethodOfRule(): PropertyDecorator {
  return check(
    'isMethodOfRule',
    (value) => typeof value === 'string' && /^(header|[A-Z-]{1,32})$/.test(value),
    { code: 'not_one_of' },
    { type: 'string', examples: ['header'] },
  );
}

/** Permissions that a rule of a proxy asks for, comma-separated. Each stands there once, as a mistyped rule is to admit no caller. */
export function IsPermissionsOfRule(): PropertyDecorator {
  return check(
    'isPermissionsOfRule',
    (value) => {
      if (typeof value !== 'string') return false;
      const names = value.split(',');
      return (
        names.length <= MAX_PERMISSIONS_OF_RULE &&
        new Set(names).size === names.length &&
        names.every(isPermission)
      );
    },
    { code: 'not_permissions' },
    { type: 'string', examples: ['notes.read,notes.write'] },
  );
}

/** Whether something has the form of the name of a permission. */
export function isPermission(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= MAX_PERMISSION_LENGTH &&
    /^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)+$/.test(value)
  );
}

/** The permissions of a role, each once. Which of them a role may have, the handler knows. */
export function IsPermissionNames(): PropertyDecorator {
  return check(
    'isPermissionNames',
    (value) =>
      Array.isArray(value) &&
      value.length <= MAX_PERMISSIONS_OF_ROLE &&
      new Set(value).size === value.length &&
      value.every(isPermission),
    { code: 'not_for_roles', max: MAX_PERMISSIONS_OF_ROLE },
    {
      type: 'array',
      items: { type: 'string', maxLength: MAX_PERMISSION_LENGTH },
      maxItems: MAX_PERMISSIONS_OF_ROLE,
      uniqueItems: true,
      examples: [['notes.read', 'notes.write']],
    },
  );
}

/** The id of a custom role, where no built-in one stands beside it. */
export function IsCustomRole(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    check(
      'isCustomRole',
      (value) => isUUID(value),
      { code: 'not_an_id' },
      { type: 'string', format: 'uuid' },
    ),
  );
}

/** The name of a back end. */
export function IsAudience(): PropertyDecorator {
  return check(
    'isAudience',
    isAudience,
    { code: 'not_a_backend' },
    {
      type: 'string',
      maxLength: MAX_AUDIENCE_LENGTH,
      examples: ['reports'],
    },
  );
}

export function isAudience(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_AUDIENCE_LENGTH && /^[\w.:/-]+$/.test(value);
}

/** A path of the SPA that a login goes on to. */
export function IsPathOfSpa(): PropertyDecorator {
  return check(
    'isPathOfSpa',
    isPathOfSpa,
    { code: 'not_a_path' },
    {
      type: 'string',
      maxLength: MAX_PATH_LENGTH,
    },
  );
}

/** Browsers take `\` for `/`, and ignore tabs and line breaks: `/\evil.example` is another origin. */
export function isPathOfSpa(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= MAX_PATH_LENGTH &&
    value.isWellFormed() &&
    /^\/(?!\/)[^\\\p{Cc}]*$/u.test(value) &&
    !DOT_SEGMENT.test(value.replace(/[?#].*/, ''))
  );
}

/** A code of an authenticator app, as a user types it. */
export function IsTotpCode(): PropertyDecorator {
  return applyDecorators(
    Typed(typedCode),
    check('isTotpCode', matches(/^\d{6}$/), { code: 'not_a_totp_code' }, typed('492039')),
  );
}

/** A recovery code, as a user types it. */
export function IsRecoveryCode(): PropertyDecorator {
  return applyDecorators(
    Typed(typedBase32),
    check(
      'isRecoveryCode',
      matches(/^[\dA-Z]{16}$/),
      { code: 'not_a_recovery_code' },
      typed('7Q4M-0ZK2-HX9T-C3VB'),
    ),
  );
}

/** A code that was mailed beside a link, as a user types it. */
export function IsMailedCode(): PropertyDecorator {
  return applyDecorators(
    Typed(typedBase32),
    check('isMailedCode', matches(/^[\dA-Z]{8}$/), { code: 'not_a_mailed_code' }, typed('7Q4M-0ZK2')),
  );
}

/** Takes a code in the form in which it is compared. */
function Typed(canonical: (text: string) => string): PropertyDecorator {
  return Transform(({ value }) => (typeof value === 'string' ? canonical(value) : value));
}

function matches(form: RegExp): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && form.test(value);
}

/** Without a pattern: digits of other scripts, blanks and hyphens are no fault. */
function typed(example: string): JsonSchema {
  return { type: 'string', maxLength: MAX_TYPED_CODE_LENGTH, examples: [example] };
}

/** What a browser's PublicKeyCredential gives as JSON, taken as it is: browsers add members. */
export function IsCredential(): PropertyDecorator {
  return check(
    'isCredential',
    isObject,
    { code: 'not_a_credential' },
    {
      ...anything,
      examples: [
        {
          id: 'HVJ9q8UQmnPZ0pYWmVb0aw',
          rawId: 'HVJ9q8UQmnPZ0pYWmVb0aw',
          type: 'public-key',
          response: {
            clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
            authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
            signature: 'MEUCIQDx',
            userHandle: 'AYkAAAAAcACAAAAAAAAAAA',
          },
          clientExtensionResults: {},
        },
      ],
    },
  );
}

/** An instant, RFC 3339. */
export function IsInstant(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }) => (isInstant(value) ? new Date(value) : value)),
    check(
      'isInstant',
      (value) => value instanceof Date && !Number.isNaN(value.getTime()),
      { code: 'not_an_instant' },
      instant,
    ),
  );
}

/** RFC 3339 alone lets the 31st of February pass, which Date takes for the 3rd of March. */
function isInstant(value: unknown): boolean {
  return isRFC3339(value) && isISO8601(value, { strict: true });
}

function isIdList(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MAX_IDS && value.every((id) => isUUID(id));
}

function isSearch(value: unknown): value is string {
  return isAddressPrefix(value) && value.trim() !== '';
}

/** PostgreSQL has no text with a NUL in it, and no address has another control character. */
function isAddressPrefix(value: unknown): value is string {
  return isShortText(MAX_ADDRESS_LENGTH)(value) && /^\P{Cc}*$/u.test(value);
}

function isShortText(maxCodePoints: number): (value: unknown) => value is string {
  return (value): value is string =>
    typeof value === 'string' &&
    value.length <= maxCodePoints * 2 &&
    value.isWellFormed() &&
    [...value].length <= maxCodePoints;
}

function isLocale(value: unknown): boolean {
  return typeof value === 'string' && canonicalLocale(value) !== null;
}
