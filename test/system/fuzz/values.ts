import fc from 'fast-check';
import { PASSWORD } from '../../support/accounts.js';
import {
  addressOf,
  INVITED,
  idOf,
  invitationOf,
  LINKS,
  OUR_ROLE,
  OURS,
  PEOPLE,
  RECOVERY_CODE,
  SIGNED_UP,
  sessionOf,
  signupOf,
  THEIR_ROLE,
  THEIRS,
  tokenOf,
} from './people.js';

export const PRICE_ID = 'price_of_the_tests';

export type Schema = Record<string, unknown>;

/** Has fast-check make objects as JSON.parse does. */
export const PLAIN = { noNullPrototype: true };

/** Nine times of ten the first. */
export function usually<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: other });
}

/** Every id that there is, and one that there is not. */
const IDS = [
  OURS,
  THEIRS,
  ...Object.keys(PEOPLE).flatMap((name) => [idOf(name), idOf(sessionOf(name))]),
  ...Object.keys(INVITED).map((name) => idOf(invitationOf(name))),
  OUR_ROLE,
  THEIR_ROLE,
  idOf('identity'),
  idOf('passkey'),
  idOf('mail'),
  idOf('nothing'),
];

const ADDRESSES = [...Object.keys(PEOPLE), ...Object.keys(INVITED), 'nobody', 'somebody'].map(addressOf);

/** The tokens that a sender may have: not the one that was mailed to a stranger. */
const TOKENS = [
  ...Object.keys(LINKS),
  signupOf(SIGNED_UP),
  invitationOf('newcomer'),
  invitationOf('loner'),
  'nothing',
].map(tokenOf);

/** Some codes; one of them may be right. */
const CODES = ['000000', '123456', '999999'];

/** The values to choose from for a format, or for a name. */
const KNOWN: Record<string, readonly string[]> = {
  uuid: IDS,
  org_id: [OURS, THEIRS],
  email: ADDRESSES,
  password: [PASSWORD, 'a wholly different phrase'],
  'date-time': ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.123+01:00'],
  token: TOKENS,
  invitation_token: TOKENS,
  cursor: IDS.map((id) => Buffer.from(id).toString('base64url')),
  return_to: ['/', '/settings?tab=1#top'],
  provider: ['idp', 'github', 'no-provider'],
  price_id: [PRICE_ID, 'price_there_is_not'],
  totp: CODES,
  code: CODES,
  recovery_code: [RECOVERY_CODE, 'O000-0000-0000-0000'],
};

/** A value that fits a schema. */
export function fitting(name: string, schema: Schema): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'integer')
    return fc.integer({ min: Number(schema.minimum ?? 0), max: Number(schema.maximum ?? 1000) });
  const known = KNOWN[name] ?? KNOWN[String(schema.format)];
  return known ? fc.constantFrom(...known) : fc.constantFrom('Ada', 'Zoë 😀', 'a'.repeat(200));
}

/** Texts that have been the ruin of some service: of its strings, its queries, its headers or its readers. */
const RUINOUS = [
  '',
  ' ',
  '\0',
  'a\0b@example.com',
  '\ud800',
  'half of it: \udc00',
  '\u202egpj.exe',
  '\u2066\u2069',
  '\ufeff',
  'İ@example.com',
  '\u212aim@example.com',
  'ada@example.com\r\nBcc: all@example.com',
  '"\\"@"@example.com',
  '__proto__',
  'constructor',
  'toString',
  "' OR 1=1 --",
  '%\\_%',
  '$1',
  '{{7*7}}',
  '<svg onload=alert(1)>',
  '../../../../etc/hosts',
  '//evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  '1e999',
  '-1',
  '0x10',
  'null',
  'true',
  '[object Object]',
  '2026-02-31T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '0000-01-01T00:00:00Z',
  '9'.repeat(400),
  'a'.repeat(10_000),
  '😀'.repeat(300),
  '\u0300'.repeat(200),
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...RUINOUS),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/** A value that hardly anything takes. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      null,
      true,
      0,
      -1,
      1.5,
      2 ** 53,
      1e308,
      [],
      {},
      ['a'],
      { length: 8 },
      [[[[[]]]]],
      [...Array(300).keys()],
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 5 }) },
);
