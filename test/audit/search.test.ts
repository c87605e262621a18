import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, loggedInAs } from '../support/accounts.js';
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
  theirs = await foundOrg(app);
  for (const { id } of [ours.member, theirs.member])
    await app.database.rows(`UPDATE users SET name = 'Ada Lovelace' WHERE id = $1`, [id]);
});
afterAll(() => app.close());

/** Whom the events of a list are about or by. */
async function found(reader: Member, query: string): Promise<Set<string>> {
  const { status, body } = await reader.get(`/audit-events?${query}`);
  expect(status).toBe(200);
  return new Set(body.data.map((event: { user_id: string }) => event.user_id));
}

describe('GET /audit-events?search=', () => {
  it('finds what the people did, or was done to them, who have the text in their name or address', async () => {
    expect(await found(root, 'scope=all&search=LOVELACE')).toEqual(
      new Set([ours.member.id, theirs.member.id]),
    );
    expect(await found(root, `scope=all&search=${ours.admin.email}&type=login.*`)).toEqual(
      new Set([ours.admin.id]),
    );
    expect(await found(root, 'scope=all&search=nobody')).toEqual(new Set());
    expect(await found(root, `scope=all&search=lovelace&user_id=${ours.admin.id}`)).toEqual(new Set());
  });

  it('pages through them, newest first, without one twice', async () => {
    for (const { email } of [ours.member, theirs.member]) await loggedIn(app, email);
    const all = (await root.get('/audit-events?scope=all&search=lovelace&limit=100')).body.data;
    const paged: object[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await root.get(
        `/audit-events?scope=all&search=lovelace&limit=2${cursor && `&cursor=${cursor}`}`,
      );
      paged.push(...body.data);
      cursor = body.next_cursor;
    }
    expect(all.length).toBeGreaterThan(3);
    expect(paged).toEqual(all);
  });

  it('finds in an organization its own members alone, and what happened there alone', async () => {
    expect(await found(ours.admin, 'scope=org&search=lovelace')).toEqual(new Set([ours.member.id]));
    expect(await found(ours.admin, `scope=org&search=${theirs.member.email}`)).toEqual(new Set());
    expect(await found(ours.admin, `scope=org&search=${theirs.member.id}`)).toEqual(new Set());
  });

  it('finds an event by its id, and the events of a user who is gone by theirs', async () => {
    const [event] = (await root.get('/audit-events?scope=all&limit=1')).body.data;
    expect((await root.get(`/audit-events?scope=all&search=${event.id}`)).body.data).toEqual([event]);

    await app.database.rows(
      `INSERT INTO audit_events (id, type, user_id, chain_id)
       VALUES (gen_random_uuid(), 'account.deleted', '01890000-0000-7000-8000-0000000000aa', gen_random_uuid())`,
    );
    expect(await found(root, 'scope=all&search=01890000-0000-7000-8000-0000000000AA')).toEqual(
      new Set(['01890000-0000-7000-8000-0000000000aa']),
    );
  });

  it('refuses what more than 50 people have, a text that is too long, and a search of what one did oneself', async () => {
    await app.database.rows(
      `INSERT INTO users (id, email)
       SELECT gen_random_uuid(), 'crowd' || n || '@example.com' FROM generate_series(1, 51) AS n`,
    );
    for (const query of ['scope=all&search=crowd', `scope=all&search=${'a'.repeat(1000)}`, 'search=lovelace'])
      expect([query, await root.get(`/audit-events?${query}`)]).toMatchObject([
        query,
        { status: 400, body: { code: 'ValidationFailed', errors: [{ field: 'search' }] } },
      ]);
    expect(await found(root, 'scope=all&search=crowd1%40')).toEqual(new Set());
    // The whole address is one person's, also where others have it within theirs.
    expect((await root.get('/audit-events?scope=all&search=crowd1%40example.com')).status).toBe(200);
  });
});
