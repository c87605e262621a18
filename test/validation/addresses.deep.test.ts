import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, loggedInAs, PASSWORD } from '../support/accounts.js';
import { foundOrg, invite, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await TestApp.start();
  org = await foundOrg(app);
});
afterAll(() => app.close());

const fresh = () => randomBytes(6).toString('hex');
const offer = (email: string) => org.admin.post(`/orgs/${org.id}/invitations`, { email, role: 'member' });

/** Ways to type one address, and the form that all of them have. */
const FORMS: [string, (name: string) => string[], (name: string) => string][] = [
  [
    'outer whitespace',
    (name) => [` ${name}@example.com`, `\t${name}@example.com\n`, `\u00a0${name}@example.com\ufeff`],
    (name) => `${name}@example.com`,
  ],
  [
    'decomposed letters',
    (name) => [`${name}\u00e9@example.com`, `${name}e\u0301@example.com`, `${name}E\u0301@example.com`],
    (name) => `${name}\u00e9@example.com`,
  ],
  [
    'a capital with no form of its own',
    (name) => [`${name}J\u030c@example.com`, `${name}\u01f0@example.com`],
    (name) => `${name}\u01f0@example.com`,
  ],
  [
    'a domain beyond ASCII',
    (name) => [
      `${name}@b\u00fccher.example`,
      `${name}@BU\u0308CHER.example`,
      `${name}@b\u00fccher\u3002example`,
      `${name}@XN--Bcher-KVA.example`,
    ],
    (name) => `${name}@xn--bcher-kva.example`,
  ],
];

/** What NFKC, or a reader, would take for another address. */
const MISLEADING = [
  'ada\uff20example.com',
  'ada@eve\uff20example.com',
  'ada@example\uff0ecom',
  'ada\u2024b@example.com',
  'ada\ufe6b@example.com',
  '\u212aim@example.com',
  '\uff41da@example.com',
  'ada@\uff45xample.com',
  'ada@example.com\uff0fx',
  'ada@example\u00ad.com',
  'a\u200bda@example.com',
  'ada@b\u00fccher.example/x',
  'ada@b\u00fccher.example#x',
  'ada@b%c3%bccher.example',
  'ada@xn--a.com',
];

describe('an address', () => {
  it.each(FORMS)('is stored in one form however it is typed: %s', async (_, typed, form) => {
    const name = fresh();

    const ids = new Set<string>();
    for (const email of typed(name)) {
      const { status, body } = await offer(email);
      expect([status, body.invitation?.email]).toEqual([201, form(name)]);
      ids.add(body.invitation.id);
    }
    expect(ids.size).toBe(1);
  });

  it.each(FORMS)('opens one account however it is typed at the login: %s', async (_, typed, form) => {
    const name = fresh();
    const token = await invite(app, org.admin, org.id, form(name));
    const accepted = await app.browser().post('/invitations/accept', { token, password: PASSWORD });
    expect(accepted.body.user.email).toBe(form(name));

    for (const email of typed(name)) await expect(loggedIn(app, email)).resolves.toBeDefined();
  });

  it.each(MISLEADING)('is refused when it would turn into another one: %j', async (email) => {
    for (const answer of [
      await offer(email),
      await app.browser().post('/auth/login', { email, password: PASSWORD }),
      await app.browser().post('/auth/signup', { email, password: PASSWORD }),
    ])
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'email' }] } });
  });
});

describe('GET /users?email=', () => {
  it('finds an address by a beginning that is typed in another form', async () => {
    const [root, name] = [await loggedInAs(app, 'sys_admin'), fresh()];
    const token = await invite(app, org.admin, org.id, `${name}\u00e9@xn--bcher-kva.example`);
    await app.browser().post('/invitations/accept', { token, password: PASSWORD });

    for (const beginning of [name, `${name}E\u0301`, `${name}\u00e9@`, `${name}\u00e9@b\u00fccher.exa`]) {
      const { body } = await root.get(`/users?email=${encodeURIComponent(beginning)}`);
      expect(body.data).toMatchObject([{ email: `${name}\u00e9@xn--bcher-kva.example` }]);
    }
    expect((await root.get(`/users?email=${freshAddress()}`)).body.data).toEqual([]);
  });
});
