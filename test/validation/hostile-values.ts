const MISSING = { nothing: undefined, null: null };

const NEVER_TAKEN = {
  'a number': 42,
  'a boolean': true,
  'an empty list': [],
  'a list of text': ['text'],
  'an empty object': {},
  'an object with a length': { length: 8 },
  'deep nesting': JSON.parse('['.repeat(100) + ']'.repeat(100)),
  'an empty text': '',
  'a lone surrogate': 'half of a 😀: \ud83d',
  '10 KB': 'a'.repeat(10 * 1024),
};

const NO_NAME = {
  ...NEVER_TAKEN,
  'a NUL': 'Some\0body',
  'two lines': 'Some\nbody',
  'only spaces': '   ',
  '201 characters': 'ö'.repeat(201),
};

const NO_PASSWORD = { ...NEVER_TAKEN, '257 characters': '😀'.repeat(257) };

const NO_ADDRESS = {
  ...MISSING,
  ...NEVER_TAKEN,
  'a NUL': 'some\0body@example.com',
  'a line break': 'somebody@example.com\nBcc: everybody@example.com',
  'two addresses': 'somebody@example.com,everybody@example.com',
  'a name before it': 'Somebody <somebody@example.com>',
  'no domain': 'somebody',
  'a quoted line break': '"a\r\nBcc: everybody@example.com\r\n"@example.com',
  'a quoted space': '"some body"@example.com',
  'an escape sequence': '"\u001b[2J"@example.com',
  'a soft hyphen': 'somebody@ex\u00adample.com',
  '255 characters': `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(63)}.${'d'.repeat(61)}.com`,
};

const NO_ROLE = { ...MISSING, ...NEVER_TAKEN, 'a role there is not': 'owner', 'in capitals': 'MEMBER' };
const { 'a boolean': _, ...NO_BOOLEAN } = NEVER_TAKEN;

/** What each field must refuse; for one that is optional in one place, also what it must refuse there. */
export const HOSTILE: Record<string, Record<string, unknown>> = {
  email: NO_ADDRESS,
  new_email: NO_ADDRESS,
  token: {
    ...MISSING,
    ...NEVER_TAKEN,
    'a NUL': 'a\0b',
    'another alphabet': '../../etc',
    '129 characters': 'a'.repeat(129),
  },
  name: NO_NAME,
  org_name: { ...MISSING, ...NO_NAME },
  password: { ...MISSING, ...NO_PASSWORD },
  current_password: NO_PASSWORD,
  'POST /auth/verify-email password': NO_PASSWORD,
  new_password: { ...MISSING, ...NO_PASSWORD },
  'POST /orgs name': { ...MISSING, ...NO_NAME },
  'PATCH /orgs/:org_id name': { ...NO_NAME, null: null },
  second_factor_required: { ...NO_BOOLEAN, null: null, 'true as a text': 'true' },
  admin_email: NO_ADDRESS,
  role: NO_ROLE,
  'PATCH /users/:user_id role': { ...NEVER_TAKEN, null: null, 'a role there is not': 'owner' },
  price_id: {
    ...MISSING,
    ...NEVER_TAKEN,
    'a NUL': 'price_1\0',
    'a path': '../customers',
    'a query': 'price_1?expand=product',
    '256 characters': 'p'.repeat(256),
  },
  scope: { ...NEVER_TAKEN, null: null, 'that of another endpoint': 'all', 'in capitals': 'ME' },
  since: {
    ...NEVER_TAKEN,
    'a day': '2026-01-31',
    'a time without a zone': '2026-01-31T09:30:00',
    'a day there is not': '2026-02-31T09:30:00Z',
  },
  disabled: { ...NO_BOOLEAN, null: null, 'true as a text': 'true' },
  'POST /invitations/accept password': NO_PASSWORD,
};
