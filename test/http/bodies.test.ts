import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD } from '../support/accounts.js';
import { expectProblem } from '../support/answers.js';
import { TestApp } from '../support/test-app.js';

const LOGIN = { method: 'POST', url: '/auth/login' } as const;
const SIGNUP = { method: 'POST', url: '/auth/signup' } as const;
const JSON_TYPE = { 'content-type': 'application/json' };
const LIMIT = 64 * 1024;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

/** Sends bytes as a JSON body. */
function postJson(payload: string | Buffer, request: typeof LOGIN | typeof SIGNUP = LOGIN) {
  return app.nest.inject({ ...request, headers: JSON_TYPE, payload });
}

/** A JSON body of some bytes. */
const ofLength = (bytes: number) => JSON.stringify({ email: 'a'.repeat(bytes - '{"email":""}'.length) });

describe('a body that is no JSON', () => {
  it.each([
    ['cut off', '{"email":'],
    ['followed by more', '{} {}'],
    ['in single quotes', "{'email':1}"],
    ['a NaN', '{"email":NaN}'],
    ['with a __proto__', '{"email":"a@example.com","__proto__":{"role":"sys_admin"}}'],
    ['with a __proto__ further in', '{"email":{"__proto__":{}}}'],
    ['with a __proto__ in escapes', '{"\\u005f_proto__":{}}'],
    ['with a prototype of its constructor', '{"constructor":{"prototype":{}}}'],
    ['in UTF-16', Buffer.from('{}', 'utf16le')],
    ['in Latin-1', Buffer.from('{"email":"zoé@example.com"}', 'latin1')],
    ['with an overlong encoding', Buffer.from([...Buffer.from('{"'), 0xc0, 0xaf, ...Buffer.from('":1}')])],
  ])('is refused as malformed: %s', async (_, payload) => {
    expectProblem(await postJson(payload), 400, 'MalformedBody');
  });

  it.each(['[]', '[{"email":"a@example.com"}]', 'null', '"text"', '42', 'true'])(
    'is refused when it is no object but %s',
    async (payload) => {
      const { errors } = expectProblem(await postJson(payload), 400, 'ValidationFailed');
      expect(errors).toEqual([
        { field: 'body', messages: ['must be a JSON object'], reasons: [{ code: 'not_an_object' }] },
      ]);
    },
  );

  it.each([
    ['empty', { payload: '' }],
    ['empty, and of the type of JSON', { payload: '', headers: JSON_TYPE }],
    ['missing', {}],
    ['missing, and of the type of JSON', { headers: JSON_TYPE }],
  ])('is refused with the fields that it lacks when it is %s', async (_, request) => {
    const answer = await app.nest.inject({ ...LOGIN, ...request });
    const { errors } = expectProblem(answer, 400, 'ValidationFailed');
    expect(errors.map(({ field }: { field: string }) => field)).toEqual(['email', 'password']);
  });

  it.each([
    ['application/x-www-form-urlencoded', 'email=a%40example.com&password=secret'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="email"\r\n\r\na\r\n--x--',
    ],
    ['text/plain', '{}'],
    ['text/json', '{}'],
    ['application/jsonp', '{}'],
    ['application/merge-patch+json', '{}'],
    ['application/', '{}'],
  ])('is refused as %s', async (type, payload) => {
    const answer = await app.nest.inject({ ...LOGIN, headers: { 'content-type': type }, payload });
    expectProblem(answer, 415, 'UnsupportedMediaType');
  });

  it.each(['gzip', 'identity'])('is refused in the encoding %s', async (encoding) => {
    const headers = { ...JSON_TYPE, 'content-encoding': encoding };
    const answer = await app.nest.inject({ ...LOGIN, headers, payload: '{}' });
    expectProblem(answer, 415, 'UnsupportedMediaType');
  });

  it('is refused without a content type', async () => {
    expectProblem(await app.nest.inject({ ...LOGIN, payload: '{}' }), 415, 'UnsupportedMediaType');
  });
});

describe('a body that is too large or too deep', () => {
  it('is refused from the first byte over 64 KiB on', async () => {
    expectProblem(await postJson(ofLength(LIMIT)), 400, 'ValidationFailed');
    expectProblem(await postJson(ofLength(LIMIT + 1)), 413, 'PayloadTooLarge');
  });

  it.each([
    ['lists', '['.repeat(2_000) + ']'.repeat(2_000)],
    ['objects', `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`],
    ['as many lists as fit', '['.repeat(32_000) + ']'.repeat(32_000)],
  ])('is refused by the name of the field in which %s nest', async (_, content) => {
    const { errors } = expectProblem(await postJson(`{"email":${content}}`), 400, 'ValidationFailed');
    expect(errors).toEqual([
      { field: 'email', messages: ['is nested too deeply'], reasons: [{ code: 'too_deep' }] },
    ]);
  });

  it('is refused when it has 50,000 keys, or as many as fit', async () => {
    const ofKeys = (count: number) => `{${Array.from({ length: count }, (_, key) => `"${key}":0`)}}`;

    expectProblem(await postJson(ofKeys(50_000)), 413, 'PayloadTooLarge');
    expectProblem(await postJson(ofKeys(7_000)), 400, 'ValidationFailed');
  });

  it('is refused when it has more than 200 values, wherever they are', async () => {
    const entries = Array.from({ length: 201 }, (_, index) => [`field_${index}`, index]);
    for (const body of [{ email: entries.map(() => 1) }, Object.fromEntries(entries)]) {
      const { errors } = expectProblem(await postJson(JSON.stringify(body)), 400, 'ValidationFailed');
      expect(errors).toEqual([
        { field: 'body', messages: ['has too many values'], reasons: [{ code: 'too_many_values' }] },
      ]);
    }
  });
});

describe('a body with fields the request does not have', () => {
  it.each(['role', 'org_id', 'email_verified', 'emailVerifiedAt', 'id', 'constructor', 'toString'])(
    'is refused by the name of %s, and makes no account',
    async (field) => {
      const account = { email: `${field}@example.com`, password: PASSWORD, [field]: 'sys_admin' };
      const { errors } = expectProblem(
        await postJson(JSON.stringify(account), SIGNUP),
        400,
        'ValidationFailed',
      );

      expect(errors).toEqual([
        { field, messages: ['is not a field of this request'], reasons: [{ code: 'unknown_field' }] },
      ]);
      expect(await app.database.rows('SELECT id FROM users WHERE email = $1', [account.email])).toEqual([]);
    },
  );

  it('is refused with at most ten of their names', async () => {
    const fields = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field_${index}`, index]));
    const { errors } = expectProblem(await postJson(JSON.stringify(fields)), 400, 'ValidationFailed');
    expect(errors).toHaveLength(10);
  });
});
