import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedInAs } from '../support/accounts.js';
import { type Billing, startBilling } from '../support/billing.js';
import type { Browser } from '../support/browser.js';
import { PasskeyOwner } from '../support/passkeys.js';
import { TestApp } from '../support/test-app.js';

// What docs/security.md says that one request may take, whatever a client writes into it.
const AT_MOST_MS = 20;
const AT_MOST_TIMES = 20;

const ROUNDS = 15;

const HEADER_LENGTH = 15_000;
const QUERY_LENGTH = 8_000;
const BODY_LENGTH = 60_000;

/** What a careless expression or loop takes a time for that grows with the square of the length. */
const SHAPES = {
  letters: 'a',
  digits: '1',
  blanks: ' ',
  tabs: '\t',
  commas: ',',
  'semicolons and blanks': '; ',
  'cookies without a value': 'a=;',
  dots: '.',
  quotes: '"',
  backslashes: '\\',
  'parameters without an end': ';a="',
  parentheses: '(',
  escapes: '%41',
  addresses: '1.1.1.1,',
  encodings: 'br ',
};

/** What only a body can hold. */
const UNICODE_SHAPES = {
  'marks out of order': '\u0301\u0323',
  'signs without a form': '\u200b',
  'capitals that keep their form': 'İ',
  emoji: '😀',
};

type Request = Parameters<TestApp['nest']['inject']>[0] & object;

let billing: Billing;
let app: TestApp;
let admin: Browser;
beforeAll(async () => {
  // With modules of a product, however few, no answer is held to the document, which would take time as well.
  billing = await startBilling(
    { SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_IDP_CLIENT_ID: 'a', SVC_IDP_CLIENT_SECRET: 'b' },
    { product: { modules: [] } },
  );
  app = billing.app;
  admin = await loggedInAs(app, 'sys_admin');
});
afterAll(() => billing.stop());

/**
 * The milliseconds that the processor takes for a request, once the service has seen it: the least of some rounds, since
 * what else the machine does only adds to it.
 */
async function processorMs(request: Request): Promise<number> {
  await app.nest.inject(request);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    await app.nest.inject(request);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return Math.min(...times);
}

/** Which of some requests take longer than they may, and how long. */
async function tooLong(requests: Record<string, Request>) {
  const limit = Math.min(AT_MOST_MS, AT_MOST_TIMES * (await processorMs(asked('/users/me'))));
  const found: Record<string, number> = {};
  for (const [what, request] of Object.entries(requests)) {
    const ms = await processorMs(request);
    if (ms > limit) found[what] = ms;
  }
  return found;
}

/** Texts of a length in each shape. They begin and end with a letter, so that there is nothing to take off. */
function texts(length: number, shapes: Record<string, string> = SHAPES): Record<string, string> {
  return mapped(shapes, (shape) => `a${shape.repeat(length / shape.length)}b`);
}

function mapped<T>(values: Record<string, string>, change: (value: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([what, value]) => [what, change(value)]));
}

/** A request of the administrator. */
const asked = (url: string): Request => ({ method: 'GET', url, headers: { cookie: cookieOf(admin) } });
const posted = (url: string, payload: string, browser?: Browser): Request => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json', ...(browser && { cookie: cookieOf(browser) }) },
  payload,
});
const cookieOf = ({ jar }: Browser) => [...jar].map((pair) => pair.join('=')).join('; ');

describe('a request takes little of the processor', () => {
  it.each([
    'cookie',
    'user-agent',
    'authorization',
    'content-type',
    'content-encoding',
    'transfer-encoding',
    'accept',
    'accept-encoding',
    'accept-language',
    'access-control-request-headers',
    'expect',
    'host',
    'origin',
    'sec-fetch-site',
    'traceparent',
    'x-forwarded-for',
    'x-request-id',
  ])('whatever its header %s holds', async (name) => {
    const withHeader = (value: string): Request => ({
      method: 'GET',
      url: '/users/me',
      headers: { [name]: value },
    });
    const requests = mapped(texts(HEADER_LENGTH), withHeader);

    expect(await tooLong(requests)).toEqual({});
  });

  it.each([
    ['/users', 'email'],
    ['/users', 'cursor'],
    ['/orgs', 'ids'],
    ['/orgs', 'name'],
    ['/audit-events', 'since'],
    ['/sessions/verify', 'audience'],
    ['/auth/oauth/idp', 'return_to'],
    ['/ui/login', 'ui_locales'],
    ['/auth/oauth/idp/callback', 'state'],
  ])('whatever the query of %s says as %s', async (path, name) => {
    const withParameter = (value: string) =>
      asked(`${path}?${name}=${encodeURIComponent(value).slice(0, QUERY_LENGTH)}`);
    const requests = mapped(texts(QUERY_LENGTH, { ...SHAPES, ...UNICODE_SHAPES }), withParameter);

    expect(await tooLong(requests)).toEqual({});
  });

  it('however many parameters its query has', async () => {
    const names = Array.from({ length: QUERY_LENGTH / 4 }, (_, index) => index.toString(36));
    const requests = {
      'of many names': asked(`/users?${names.join('&')}`),
      'of one name': asked(`/users?${names.map(() => 'ids').join('&')}`),
      'without a name': asked(`/users?${'&'.repeat(QUERY_LENGTH)}`),
    };

    expect(await tooLong(requests)).toEqual({});
  });

  it.each([
    ['/auth/login', 'email'],
    ['/auth/login', 'password'],
    ['/auth/verify-email', 'token'],
    ['/auth/signup', 'name'],
    ['/auth/passkey/login', 'credential'],
    ['/nowhere', 'anything'],
  ])('whatever the body for %s says as %s', async (path, field) => {
    const withField = (value: string) =>
      posted(path, JSON.stringify({ [field]: value }).slice(0, BODY_LENGTH));
    const letters = Array.from({ length: BODY_LENGTH / 3 }, (_, index) =>
      String.fromCharCode(0x4e00 + index),
    );
    const requests = {
      ...mapped(texts(BODY_LENGTH / 4, { ...SHAPES, ...UNICODE_SHAPES }), withField),
      'an address of many marks': withField(`a${'\u0301\u0323'.repeat(BODY_LENGTH / 4 - 10)}@example.com`),
      'a domain of many marks': withField(`a@a${'\u0301\u0323'.repeat(BODY_LENGTH / 4 - 10)}.com`),
      'a domain of many letters': withField(`a@${letters.slice(20).join('')}`),
      'at signs': withField('@'.repeat(BODY_LENGTH - 100)),
    };

    expect(await tooLong(requests)).toEqual({});
  });

  it('however its JSON nests and repeats', async () => {
    const withJson = (json: string) => posted('/auth/login', json);
    const requests = mapped(
      {
        'lists in lists': `{"a":${'['.repeat(BODY_LENGTH / 2)}${']'.repeat(BODY_LENGTH / 2)}}`,
        'objects in objects': `${'{"a":'.repeat(BODY_LENGTH / 6)}1${'}'.repeat(BODY_LENGTH / 6)}`,
        'many fields': `{${Array.from({ length: BODY_LENGTH / 11 }, (_, index) => `"${index}":1`).join(',')}}`,
        'a long list': `{"a":[${'1,'.repeat(BODY_LENGTH / 2)}1]}`,
        'many empty lists': `{"a":[${'[],'.repeat(BODY_LENGTH / 3)}1]}`,
        'fields of the prototype': `{${'"__proto__":1,'.repeat(BODY_LENGTH / 14)}"a":1}`,
        'fields of the constructor': `{"a":[${'{"constructor":1},'.repeat(BODY_LENGTH / 18)}1]}`,
        'names that look like one': `{"a":["__proto__"${' '.repeat(BODY_LENGTH)}]}`,
        'a long number': `{"a":${'1'.repeat(BODY_LENGTH)}}`,
        'a text without an end': `{"a":"${'\\u0061'.repeat(BODY_LENGTH / 6)}`,
      },
      withJson,
    );

    expect(await tooLong(requests)).toEqual({});
  });

  it('whatever a passkey claims of itself', async () => {
    const { browser, authenticator } = await PasskeyOwner.in(app);
    const { body } = await browser.post('/users/me/passkeys/options');
    const withStatement = (statement: Map<string, unknown>) =>
      posted(
        '/users/me/passkeys',
        JSON.stringify({ credential: authenticator.create(body.options, { format: 'packed', statement }) }),
        browser,
      );
    // As many as fit into what is decoded at all.
    const members = Array.from({ length: 700 }, (_, index): [string, unknown] => [`${index}`, 1]);
    const nested = Array.from({ length: 1_200 }).reduce<unknown>((inner) => new Map([['a', inner]]), 1);
    const requests = {
      'many members': withStatement(new Map(members)),
      'members in members': withStatement(new Map([['a', nested]])),
      'a long signature': withStatement(
        new Map<string, unknown>([
          ['alg', -7],
          ['sig', Buffer.alloc(3_500, 1)],
        ]),
      ),
      'a longer signature than is decoded': withStatement(new Map([['sig', Buffer.alloc(40_000, 1)]])),
      'more members than are decoded': withStatement(
        new Map(Array.from({ length: 6_000 }, (_, index): [string, unknown] => [`${index}`, 1])),
      ),
      'more members in members than are decoded': withStatement(
        new Map([
          ['a', Array.from({ length: 3_000 }).reduce<unknown>((inner) => new Map([['a', inner]]), 1)],
        ]),
      ),
    };

    expect(await tooLong(requests)).toEqual({});
  });

  it('whatever signs an event of Stripe', async () => {
    const withSignature = (value: string): Request => ({
      method: 'POST',
      url: '/subscription/webhook',
      headers: { 'stripe-signature': value },
      payload: 'x'.repeat(BODY_LENGTH),
    });
    const requests = {
      ...mapped(texts(HEADER_LENGTH), withSignature),
      'many signatures': withSignature(
        `t=${Math.floor(Date.now() / 1000)}${',v1=a'.repeat(HEADER_LENGTH / 5)}`,
      ),
    };

    expect(await tooLong(requests)).toEqual({});
  });
});
