import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedInAs } from '../support/accounts.js';
import { foundOrg, type Member, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let root: Member;
let ours: TestOrg;
let theirs: TestOrg;
beforeAll(async () => {
  app = await TestApp.start();
  root = await loggedInAs(app, 'sys_admin');
  ours = await foundOrg(app);
  theirs = await foundOrg(app, 'Theirs');
});
afterAll(() => app.close());

/** The cells of a file, by line; none of these has a line break or a quote in it. */
async function saved(reader: Member, path: string): Promise<string[][]> {
  const { status, text, headers } = await reader.get(path);
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(headers['content-disposition']).toMatch(/^attachment; filename="\w+\.csv"$/);
  expect(text.startsWith('\ufeff"id"')).toBe(true);
  const lines = text.slice(1).split('\r\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => line.slice(1, -1).split('","'));
}

const ids = (lines: string[][]) => lines.slice(1).map(([id]) => id);

describe('a list as a file', () => {
  it('has all users who meet the filter, in its order, and is recorded without what was typed', async () => {
    await app.database.rows(
      `INSERT INTO users (id, email, name)
       SELECT gen_random_uuid(), 'many' || n || '@example.com', 'Many ' || n FROM generate_series(1, 2100) AS n`,
    );

    const lines = await saved(root, '/users/export?search=many&sort=-email');

    expect(lines[0]).toEqual([
      ...['id', 'email', 'name', 'role', 'email_verified', 'org_id', 'has_password', 'created_at'],
      ...['locale', 'time_zone', 'has_factor', 'disabled', 'external_id'],
      ...['last_login_at', 'org_name'],
    ]);
    const emails = lines.slice(1).map(([, email]) => email);
    expect(emails).toHaveLength(2100);
    expect(new Set(emails).size).toBe(2100);
    expect([emails[0], emails[2099]]).toEqual(['many9@example.com', 'many1000@example.com']);
    expect((await root.get('/audit-events?type=list.exported&limit=1')).body.data).toMatchObject([
      { actor_id: root.id, details: { list: 'users', filters: 'search' } },
    ]);
  });

  it.each(['last_login_at', '-last_login_at', 'name'])('is in the order of %s to its end', async (sort) => {
    await app.database.rows(
      `INSERT INTO last_logins (user_id, logged_in_at)
       SELECT id, now() - interval '1 minute' * (1 + length(email)) FROM users WHERE email LIKE 'many%1@example.com'
       ON CONFLICT DO NOTHING`,
    );
    const listed: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await root.get(`/users?sort=${sort}&limit=100${cursor && `&cursor=${cursor}`}`);
      listed.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    }

    expect(listed.length).toBeGreaterThan(2100);
    expect(ids(await saved(root, `/users/export?sort=${sort}`))).toEqual(listed);
  });

  it.each([
    ['=HYPERLINK("http://evil.example")', `"'=HYPERLINK(""http://evil.example"")"`],
    ['+1+1', `"'+1+1"`],
    ['-2', `"'-2"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['＝1', `"'＝1"`],
    ['\t=1', `"'\t=1"`],
    ['\r=1', `"'\r=1"`],
    ['  =1+1', `"'  =1+1"`],
    ['Ada;=1+1;', `"Ada;'=1+1;"`],
    ['Ada; @SUM(A1)', `"Ada;' @SUM(A1)"`],
    ['Ada; Countess', `"Ada; Countess"`],
    ['Ada-Marie', `"Ada-Marie"`],
    ['Ada, "Countess"', `"Ada, ""Countess"""`],
    ['山田', `"山田"`],
  ])('writes %j so that no spreadsheet takes it for a formula', async (name, cell) => {
    await app.database.rows('UPDATE users SET name = $1 WHERE id = $2', [name, ours.member.id]);

    const { text } = await root.get(`/users/export?ids=${ours.member.id}`);

    expect(text).toContain(`,${cell},`);
    await app.database.rows('UPDATE users SET name = NULL WHERE id = $1', [ours.member.id]);
  });

  it('has of an organization its own members alone, and not when they last logged in', async () => {
    const lines = await saved(ours.admin, `/orgs/${ours.id}/members/export?sort=created_at`);

    expect(lines[0]).not.toContain('last_login_at');
    expect(ids(lines)).toEqual([ours.admin.id, ours.member.id, ours.readonly.id]);
    expect(
      ids(await saved(ours.admin, `/orgs/${ours.id}/members/export?search=${theirs.member.email}`)),
    ).toEqual([]);
    expect((await ours.admin.get(`/orgs/${theirs.id}/members/export`)).status).toBe(404);
    expect((await ours.admin.get('/audit-events?scope=org&type=list.exported')).body.data).toHaveLength(2);
    expect((await theirs.admin.get('/audit-events?scope=org&type=list.exported')).body.data).toEqual([]);
  });

  it('is called after the organization whose list it is, in plain letters', async () => {
    const nameOf = async (path: string, reader: Member = ours.admin) =>
      (await reader.get(path)).headers['content-disposition'];
    const rename = (name: string) => ours.admin.patch(`/orgs/${ours.id}`, { name });

    await rename('Éclair & Söhne "Zürich"/../');
    expect(await nameOf(`/orgs/${ours.id}/members/export`)).toBe(
      'attachment; filename="members_eclair_sohne_zurich.csv"',
    );
    expect(await nameOf('/audit-events/export?scope=org')).toBe(
      'attachment; filename="activity_eclair_sohne_zurich.csv"',
    );
    await rename('山田');
    const id = ours.id.replaceAll('-', '_');
    expect(await nameOf(`/orgs/${ours.id}/members/export`)).toBe(`attachment; filename="members_${id}.csv"`);
    expect(await nameOf('/audit-events/export?scope=all', root)).toBe('attachment; filename="activity.csv"');
  });

  it('has what was done in the own organization alone', async () => {
    const ofOrg = new Set(ids(await saved(ours.admin, '/audit-events/export?scope=org')));
    const listed = (await ours.admin.get('/audit-events?scope=org&limit=100')).body.data;
    const { data: others } = (await theirs.admin.get('/audit-events?scope=org&limit=100')).body;

    // The export itself was recorded after its first part was read.
    expect(listed.slice(1).map(({ id }: { id: string }) => id)).toEqual([...ofOrg]);
    expect(others.some(({ id }: { id: string }) => ofOrg.has(id))).toBe(false);
    expect(ids(await saved(root, `/audit-events/export?scope=all&org_id=${ours.id}`)).length).toBeGreaterThan(
      3,
    );
  });

  it('is refused to who only reads, to members, and to admins of an organization where it is of all', async () => {
    for (const reader of [ours.readonly, ours.member])
      for (const path of [`/orgs/${ours.id}/members/export`, '/audit-events/export', '/users/export'])
        expect([path, await reader.get(path)]).toMatchObject([
          path,
          { status: 403, body: { code: 'InsufficientRole' } },
        ]);
    for (const path of ['/users/export', '/audit-events/export?scope=all'])
      expect((await ours.admin.get(path)).body.code).toBe('InsufficientRole');
    expect((await app.browser().get('/users/export')).status).toBe(401);
  });

  it.each(['limit=5', 'cursor=x', `search=${'a'.repeat(1000)}`, 'sort=password_hash'])(
    'is refused with ?%s, and leaves no record',
    async (query) => {
      const recorded = () =>
        app.database.value(`SELECT count(*)::int FROM audit_events WHERE type = 'list.exported'`);
      const before = await recorded();

      const answer = await root.get(`/users/export?${query}`);

      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: query.split('=')[0] }] } });
      expect(answer.headers['content-disposition']).toBeUndefined();
      expect(await recorded()).toBe(before);
    },
  );
});
