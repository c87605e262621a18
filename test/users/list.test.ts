import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn, loggedInAs, verified } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { foundOrg, place } from '../support/orgs.js';
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

/** The addresses of each page of a list. */
async function paged(query: string): Promise<string[][]> {
  const pages = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await admin.get(`/users?${query}${cursor && `&cursor=${cursor}`}`);
    expect(status).toBe(200);
    pages.push(body.data.map(({ email }: { email: string }) => email));
    cursor = body.next_cursor;
  }
  return pages;
}

async function rename(email: string, name: string): Promise<void> {
  await app.database.rows('UPDATE users SET name = $1 WHERE email = $2', [name, email]);
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
      external_id: null,
      organizations: [],
      last_login_at: expect.any(String),
      org_name: null,
    });
    expect(text).not.toMatch(/hash/);
  });

  it('names the organization of each, as GET /users/:id does', async () => {
    const org = await foundOrg(app, 'Difference');

    const [listed] = (await admin.get(`/users?search=${org.member.email}`)).body.data;

    expect(listed).toMatchObject({ org_id: org.id, org_name: 'Difference' });
    expect((await admin.get(`/users/${org.member.id}`)).body.user).toEqual(listed);
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

  it('finds the users who have ?search= anywhere in the name or the address, in any case', async () => {
    const ada = await verified(app, { email: 'countess@example.com' });
    const grace = await verified(app, { email: 'grace@lovelaces.example' });
    await rename(ada, 'Ada  Augusta LOVELACE');

    expect(await listed('?search=lovelace')).toEqual([grace, ada]);
    expect(await listed('?search=Augusta%20love')).toEqual([ada]);
    expect(await listed('?search=%20OVELACES.EX%20')).toEqual([grace]);
    expect(await listed('?search=countess%40EXAMPLE.com')).toEqual([ada]);
    expect(await listed('?search=nobody')).toEqual([]);
  });

  it('finds the words that begin with a search of one or two letters, of any script', async () => {
    const [one, other] = [await verified(app), await verified(app)];
    await rename(one, '山田 太郎');
    await rename(other, 'Zoë Öztürk');

    expect(await listed('?search=山')).toEqual([one]);
    expect(await listed('?search=太郎')).toEqual([one]);
    expect(await listed('?search=öz')).toEqual([other]);
    expect(await listed('?search=tü')).toEqual([]);
    expect(await listed('?search=ztürk')).toEqual([other]);
  });

  it('finds a user by how the id begins, from eight digits on', async () => {
    const email = await verified(app);
    const id: string = await app.database.value('SELECT id FROM users WHERE email = $1', [email]);

    expect(await listed(`?search=${id.toUpperCase()}`)).toEqual([email]);
    expect(await listed(`?search=${id.slice(0, 30)}`)).toEqual([email]);
    expect(await listed(`?search=${id.slice(0, 8)}&email=${email}`)).toEqual([email]);
    expect(await listed(`?search=${id.slice(0, 7)}&email=${email}`)).toEqual([]);
    expect(await listed('?search=ffffffff-ffff')).toEqual([]);
  });

  it.each(['%', '_', '%25', 'a_a', '\\', "'", '100%', '*'])(
    'reads %j in ?search= as it is written',
    async (text) => {
      const [plain, special] = [await verified(app), await verified(app)];
      await rename(plain, 'aba 1000');
      await rename(special, `${text} sign`);

      expect(await listed(`?search=${encodeURIComponent(`${text} sign`)}`)).toEqual([special]);
      expect(await listed(`?search=${encodeURIComponent(text)}`)).toEqual([special]);
    },
  );

  it('finds who is beyond the first 5,000, and counts all of them', async () => {
    await app.database.rows(
      `INSERT INTO users (id, email, name)
       SELECT ('01890000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'user' || n || '@example.com',
              CASE WHEN n % 110 = 0 THEN 'Margaret Rare' ELSE 'Ken Common' END
         FROM generate_series(1, 5200) AS n`,
    );

    expect((await admin.get('/users?search=margaret&limit=20')).body).toMatchObject({ total: 47 });
    const pages = await paged('search=rare&limit=20');
    expect(pages.map(({ length }) => length)).toEqual([20, 20, 7]);
    expect(new Set(pages.flat()).size).toBe(47);
    expect((await admin.get('/users?search=common')).body.total).toBeNull();
    expect((await admin.get('/users')).body.total).toBe(1000);
    expect((await admin.get('/users?search=user7%40')).body).toMatchObject({
      data: [{ email: 'user7@example.com' }],
      total: 1,
    });
  });

  it.each([
    ['email', ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com']],
    // Without a name the address counts.
    ['name', ['a@example.com', 'd@example.com', 'b@example.com', 'c@example.com']],
    ['role', ['c@example.com', 'b@example.com', 'a@example.com', 'd@example.com']],
    ['created_at', ['b@example.com', 'a@example.com', 'd@example.com', 'c@example.com']],
  ])('sorts by %s in both directions, and pages in that order', async (sort, emails) => {
    await admin.post('/auth/logout');
    await app.database.rows('TRUNCATE users CASCADE');
    for (const letter of ['b', 'a', 'd', 'c']) await verified(app, { email: `${letter}@example.com` });
    await rename('c@example.com', 'zoe');
    await rename('d@example.com', 'Abe');
    await app.database.rows(`UPDATE users SET own_role = 'readonly' WHERE email LIKE 'c%'`);
    await app.database.rows(`UPDATE users SET own_role = 'sys_admin' WHERE email LIKE 'd%'`);
    admin = await loggedIn(app, 'd@example.com');

    expect((await paged(`sort=${sort}&limit=3`)).flat()).toEqual(emails);
    expect((await paged(`sort=-${sort}&limit=1`)).flat()).toEqual(emails.toReversed());
    expect((await paged(`sort=${sort}&limit=2&search=example.com`)).flat()).toEqual(emails);
  });

  it('sorts by the last login, with those who never logged in at the end in either direction', async () => {
    const [early, late, never] = [await verified(app), await verified(app), await verified(app)];
    await app.database.rows(
      `INSERT INTO last_logins SELECT id, now() - interval '9 days' FROM users WHERE email = $1`,
      [early],
    );
    await loggedIn(app, late);

    expect((await paged('sort=-last_login_at&limit=1')).flat()).toEqual([late, admin.email, early, never]);
    expect((await paged('sort=last_login_at&limit=3')).flat()).toEqual([early, admin.email, late, never]);
    expect(await listed(`?sort=last_login_at&search=${never}`)).toEqual([never]);
    expect(await listed(`?sort=last_login_at&search=example`)).toHaveLength(4);
  });

  it('says when each user last logged in, which no member of an organization learns', async () => {
    const { id: orgId, admin: orgAdmin, member } = await foundOrg(app);
    const at = () => admin.get(`/users/${member.id}`).then(({ body }) => Date.parse(body.user.last_login_at));
    const before = await at();
    await loggedIn(app, member.email);

    expect(await at()).toBeGreaterThan(before);
    expect((await admin.get(`/users?search=${member.email}`)).body.data[0].last_login_at).toBe(
      new Date(await at()).toISOString(),
    );
    expect((await orgAdmin.get(`/orgs/${orgId}/members`)).text).not.toContain('login');
    expect(await orgAdmin.get(`/orgs/${orgId}/members?sort=last_login_at`)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'sort' }] },
    });
  });

  it('refuses a cursor of another order, and one that nobody was given', async () => {
    for (let count = 0; count < 2; count++) await verified(app);
    const { next_cursor: byName } = (await admin.get('/users?sort=name&limit=1')).body;
    const { next_cursor: byAge } = (await admin.get('/users?limit=1')).body;
    const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

    for (const query of [
      `cursor=${byName}`,
      `sort=-name&cursor=${byName}`,
      `sort=name&cursor=${byAge}`,
      `sort=created_at&cursor=${byAge}`,
      `sort=role&cursor=${forged('role', 'x', ID)}`,
      `sort=name&cursor=${forged('name', 'a\0', ID)}`,
      `sort=name&cursor=${forged('name', 'a')}`,
      `sort=name&cursor=${forged('name', 'a', 'b')}`,
      `sort=last_login_at&cursor=${forged('last_login_at', '2026-02-31T00:00:00.000Z', ID)}`,
      `sort=last_login_at&cursor=${forged('last_login_at', 'infinity', ID)}`,
    ])
      expect([query, await admin.get(`/users?${query}`)]).toMatchObject([
        query,
        { status: 400, body: { code: 'ValidationFailed', errors: [{ field: 'cursor' }] } },
      ]);
    expect((await admin.get(`/users?sort=name&cursor=${byName}`)).status).toBe(200);
  });

  it('says on the first page how many users there are', async () => {
    for (let count = 0; count < 3; count++) await verified(app);

    const { total, next_cursor } = (await admin.get('/users?role=member&limit=2')).body;
    expect(total).toBe(3);
    expect((await admin.get(`/users?role=member&limit=2&cursor=${next_cursor}`)).body.total).toBeNull();
    expect((await admin.get('/users?role=readonly')).body.total).toBe(0);
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
    await place(app.database, member, orgId);

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

  it('lists a user of several organizations once, by each role that they have in one, and sorted by the highest', async () => {
    const [both, mixed] = [await verified(app), await verified(app)];
    const join = (email: string, role: string) =>
      app.database.rows(
        `WITH made AS (INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), 'Initech') RETURNING id)
         INSERT INTO memberships (user_id, org_id, role, joined_by)
         SELECT u.id, made.id, $2, 'invitation' FROM users u, made WHERE u.email = $1`,
        [email, role],
      );
    for (const role of ['org_admin', 'org_admin', 'org_admin']) await join(both, role);
    for (const role of ['readonly', 'org_admin', 'readonly']) await join(mixed, role);
    const paged = async (query: string) => {
      const emails: string[] = [];
      for (let cursor = ''; ; ) {
        const { data, next_cursor } = (await admin.get(`/users?limit=1${query}${cursor}`)).body;
        emails.push(...data.map(({ email }: { email: string }) => email));
        if (next_cursor === null) return emails;
        cursor = `&cursor=${next_cursor}`;
      }
    };

    expect(await paged('&role=org_admin')).toEqual([mixed, both]);
    expect(await paged('&role=readonly')).toEqual([mixed]);
    expect(await paged('&role=member')).toEqual([]);
    expect(await paged('&sort=-role')).toEqual([admin.email, mixed, both]);
    expect(await paged('&sort=-role&role=readonly')).toEqual([mixed]);
    expect((await admin.get('/users?role=org_admin')).body.total).toBe(2);
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
    [`search=${'a'.repeat(1000)}`, 'search'],
    [`search=${'a'.repeat(255)}`, 'search'],
    ['search=', 'search'],
    ['search=%20', 'search'],
    ['search=a%00', 'search'],
    ['search=a&search=b', 'search'],
    ['sort=', 'sort'],
    ['sort=password_hash', 'sort'],
    ['sort=--name', 'sort'],
    ['sort=name&sort=role', 'sort'],
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
