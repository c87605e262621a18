import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completedSignup, freshAddress, loggedInAs, PASSWORD } from '../support/accounts.js';
import { loginThrough, startWithProvider } from '../support/identity-provider.js';
import { asMember, foundOrg, invite, type TestOrg } from '../support/orgs.js';
import type { TestApp } from '../support/test-app.js';

let app: TestApp;
let provider: Awaited<ReturnType<typeof startWithProvider>>['provider'];
let stop: () => Promise<void>;
let org: TestOrg;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider());
  org = await foundOrg(app);
});
afterAll(() => stop());

const SHOW_NOTHING = ['\u200b\u2060', '\u3164', '\u2800', '\u00ad', '\u{e0041}\u{e0042}', '\u200d', '\ufe0f'];
const TURN = ['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069', '\u2028', '\u2029'].map(
  (sign) => `Acme ${sign} Ltd`,
);
const HIDE = [
  '\u200b',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u034f',
  '\u3164',
  '\u115f',
  '\u17b4',
  '\u{e0041}',
  '\u{e0067}\u{e007f}',
].map((sign) => `Ac${sign}me`);
const LONE_MARK = ['\u0301', '\u0301cme', 'Ac \u0301me'];
const LEGAL = [
  'می\u200cخواهم',
  'क्\u200dष',
  '👩\u200d💻 Ada',
  '❤\ufe0f Ltd',
  'שלום',
  'Zoe\u0308',
  'น้ำ',
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}',
];

describe('a name', () => {
  it.each([...SHOW_NOTHING, ...TURN, ...HIDE, ...LONE_MARK])(
    'is refused when it shows nothing, turns, hides, or has a mark without a letter: %j',
    async (name) => {
      const answer = await org.member.patch('/users/me', { name });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'name' }] } });
    },
  );

  it.each(LEGAL)(
    'is taken with joiners and signs of any script, without outer whitespace: %j',
    async (name) => {
      const answer = await org.member.patch('/users/me', { name: `\u3000 ${name}\t` });
      expect(answer.body.user).toMatchObject({ name });
    },
  );

  it('is refused at every door', async () => {
    const name = 'Acme \u202e';
    const [email, password, root] = [freshAddress(), PASSWORD, await loggedInAs(app, 'sys_admin')];
    const token = await invite(app, org.admin, org.id, email);
    const founder = await asMember(await completedSignup(app));

    const answers = await Promise.all([
      app.browser().post('/auth/signup', { email: freshAddress(), password, name }),
      app.browser().post('/auth/signup-org', { email: freshAddress(), password, org_name: name }),
      app.browser().post('/invitations/accept', { token, password, name }),
      org.admin.patch(`/orgs/${org.id}`, { name }),
      founder.post('/users/me/org', { name }),
      root.post('/orgs', { name, admin_email: freshAddress() }),
      org.member.patch('/users/me/passkeys/00000000-0000-7000-8000-000000000000', { name }),
    ]);

    const fields = answers.map(({ body }) => body.errors?.[0].field);
    expect(fields).toEqual(['name', 'org_name', ...Array(5).fill('name')]);
  });

  it.each([
    ['\u3000Ada ', 'Ada'],
    ['Acme \u202e', null],
  ])('that a provider gives as %j becomes %j', async (name, stored) => {
    const who = { sub: freshAddress(), email: freshAddress(), email_verified: true, name };
    await loginThrough(provider, app.browser(), who);

    const sql = 'SELECT name FROM users WHERE email = $1';
    expect(await app.database.value(sql, [who.email])).toBe(stored);
  });
});
