import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn, loggedInAs, verified } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { TestApp } from '../support/test-app.js';

const ID = '01890000-0000-7000-8000-0000000000aa';

let app: TestApp;
let admin: Browser & { email: string };
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.database.rows('TRUNCATE users CASCADE');
  admin = await loggedInAs(app, 'sys_admin');
});

/** The addresses a list shows. */
async function listed(query: string): Promise<string[]> {
  const { status, body } = await admin.get(`/users${query}`);
  expect(status).toBe(200);
  return body.data.map(({ email }: { email: string }) => email);
}

describe('GET /users', () => {
  it('lists all users, newest first, with the fields of a user and whether they are disabled', async () => {
    const first = await verified(app);
    const second = await verified(app);
    await app.database.rows('UPDATE users SET email_verified_at = NULL WHERE email = $1', [second]);

    const { status, body, text } = await admin.get('/users');

    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: [{ email: second, email_verified: false }, { email: first }, { email: admin.email }],
      next_cursor: null,
    });
    expect(body.data[2]).toEqual({
      ...(await admin.get('/users/me')).body.user,
      has_factor: false,
      disabled: false,
    });
    expect(text).not.toMatch(/hash/);
  });

  it('pages by key: a user who signs up meanwhile neither repeats nor hides another', async () => {
    for (let count = 0; count < 4; count++) await verified(app);
    const all = await listed('');

    const page = (cursor?: string) => admin.get(`/users?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
    const first = (await page()).body;
    await verified(app);
    const second = (await page(first.next_cursor)).body;
    const third = (await page(second.next_cursor)).body;

    const paged = [first, second, third].flatMap(({ data }) =>
      data.map(({ email }: { email: string }) => email),
    );
    expect(paged).toEqual(all);
    expect(third.next_cursor).toBeNull();
  });

  it('lists the users whose address begins with ?email=, in any case', async () => {
    const ada = await verified(app, { email: 'ada@example.com' });
    const adam = await verified(app, { email: 'adam@example.com' });
    await verified(app, { email: 'not-ada@example.com' });

    expect(await listed('?email=ada')).toEqual([adam, ada]);
    expect(await listed('?email=ADA%40Example')).toEqual([ada]);
    expect(await listed('?email=nobody')).toEqual([]);
    expect(await listed('?email=')).toHaveLength(4);
  });

  it.each(['%', '_', '%da', 'a_a', '\\', "'", 'ada\\'])(
    'reads %j in ?email= as it is written',
    async (prefix) => {
      const plain = await verified(app, { email: 'ada@example.com' });
      const email = await verified(app);
      await app.database.rows('UPDATE users SET email = $1 WHERE email = $2', [
        `${prefix}@example.com`,
        email,
      ]);

      expect(await listed(`?email=${encodeURIComponent(prefix)}`)).toEqual([`${prefix}@example.com`]);
      expect(await listed('?email=ada%40')).toEqual([plain]);
    },
  );

  it('lists the members of ?org_id=', async () => {
    const [member] = [await verified(app), await verified(app)];
    const orgId = '01890000-0000-7000-8000-0000000000aa';
    await app.database.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'Initech')`, [orgId]);
    await app.database.rows('UPDATE users SET org_id = $1 WHERE email = $2', [orgId, member]);

    expect(await listed(`?org_id=${orgId}`)).toEqual([member]);
    expect(await listed(`?org_id=${orgId.toUpperCase()}`)).toEqual([member]);
    expect(await listed('?org_id=01890000-0000-7000-8000-0000000000bb')).toEqual([]);
  });

  it('lists the users with ?role=, and those who match all filters at once, on every page', async () => {
    const [, other] = [await verified(app), await verified(app)];

    expect(await listed('?role=sys_admin')).toEqual([admin.email]);
    expect(await listed('?role=member')).toHaveLength(2);
    expect(await listed(`?role=member&email=${other}`)).toEqual([other]);

    const { body } = await admin.get('/users?role=member&limit=1');
    expect(await listed(`?role=member&limit=1&cursor=${body.next_cursor}`)).not.toContain(admin.email);
  });

  it('lists the users who are disabled, or those who are not', async () => {
    const [one, other] = [await verified(app), await verified(app)];
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [one]);

    expect(await listed('?disabled=true')).toEqual([one]);
    expect(await listed('?disabled=false')).toEqual([other, admin.email]);
  });

  it('lists the users of ?ids=, in any case, without those there are not', async () => {
    const emails = [await verified(app), await verified(app), await verified(app)];
    const rows = await app.database.rows('SELECT id FROM users WHERE email = ANY($1) ORDER BY id', [emails]);
    const [one, two, three] = rows.map(({ id }) => id);

    expect(await listed(`?ids=${one.toUpperCase()},${ID},${three}`)).toEqual([emails[2], emails[0]]);
    expect(await listed(`?ids=${ID}`)).toEqual([]);
    expect(await listed(`?ids=${Array(100).fill(two)}`)).toEqual([emails[1]]);

    const { body } = await admin.get(`/users?limit=1&ids=${one},${two}`);
    expect(await listed(`?limit=1&ids=${one},${two}&cursor=${body.next_cursor}`)).toEqual([emails[0]]);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=x', 'cursor'],
    ['email=a%00', 'email'],
    ['email=a&email=b', 'email'],
    [`email=${'a'.repeat(255)}`, 'email'],
    ['org_id=', 'org_id'],
    ['org_id=initech', 'org_id'],
    ['role=SYSTEM_ADMIN', 'role'],
    ['role=root', 'role'],
    ['role=member&role=readonly', 'role'],
    ['disabled=yes', 'disabled'],
    ['disabled=', 'disabled'],
    ['disabled=constructor', 'disabled'],
    ['ids=', 'ids'],
    ['ids=1', 'ids'],
    [`ids=${ID},`, 'ids'],
    [`ids=${ID}&ids=${ID}`, 'ids'],
    [`ids=${Array(101).fill(ID)}`, 'ids'],
    ['offset=3', 'offset'],
  ])('refuses ?%s by its name', async (query, field) => {
    const answer = await admin.get(`/users?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'ValidationFailed', errors: [{ field }] } });
  });

  it('is for SYSTEM_ADMINs only', async () => {
    expect(await app.browser().get('/users')).toMatchObject({
      status: 401,
      body: { code: 'Unauthenticated' },
    });
    for (const role of ['readonly', 'member', 'org_admin'] as const) {
      const browser = await loggedInAs(app, role);
      expect(await browser.get('/users')).toMatchObject({ status: 403, body: { code: 'InsufficientRole' } });
    }
  });

  it('leaves /users/me open to every user', async () => {
    expect((await (await loggedIn(app)).get('/users/me')).status).toBe(200);
  });
});
