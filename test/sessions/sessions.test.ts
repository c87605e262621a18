import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD } from '../support/accounts.js';
import { inLockStep } from '../support/lock-step.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const idOf = async (browser: { get: (url: string) => Promise<{ body: { session: { id: string } } }> }) =>
  (await browser.get('/users/me')).body.session.id;

describe('an authenticated request', () => {
  it('costs one SQL statement', async () => {
    const browser = await loggedIn(app);

    const statements = await statementsDuring(() => browser.get('/users/me'));

    expect(statements).toHaveLength(1);
    expect(statements[0]).toMatch(/FROM sessions s JOIN users u/);
  });

  it('is refused once the session has expired, long before it is pruned', async () => {
    const browser = await loggedIn(app);
    const id = await idOf(browser);
    await app.database.rows(`UPDATE sessions SET expires_at = now() WHERE id = $1`, [id]);

    expect(await browser.get('/users/me')).toMatchObject({ status: 401, body: { code: 'Unauthenticated' } });
    expect(await app.database.rows('SELECT 1 FROM sessions WHERE id = $1', [id])).toHaveLength(1);
  });

  it('is refused once the user is disabled', async () => {
    const browser = await loggedIn(app);
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [browser.email]);

    expect((await browser.get('/users/me')).status).toBe(401);
  });

  it('updates the time at which the session was last seen, at most once a minute', async () => {
    const browser = await loggedIn(app);
    const id = await idOf(browser);
    const lastSeen = () => app.database.value('SELECT last_seen_at FROM sessions WHERE id = $1', [id]);
    await app.database.rows(
      `UPDATE sessions SET last_seen_at = now() - interval '61 seconds' WHERE id = $1`,
      [id],
    );
    const aged = await lastSeen();

    await browser.get('/users/me');
    await until(async () => (await lastSeen()) > aged);
    const noted = await lastSeen();

    const statements = await statementsDuring(() => browser.get('/users/me'));
    expect(statements).toHaveLength(1);
    expect(await lastSeen()).toEqual(noted);
  });
});

describe('GET /sessions', () => {
  it("lists the caller's active sessions, newest first, and marks the current one", async () => {
    const first = await loggedIn(app);
    const second = await loggedIn(app, first.email);
    const ended = await loggedIn(app, first.email);
    await loggedIn(app);
    await ended.post('/auth/logout');

    const { status, body, text } = await first.get('/sessions');

    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: [
        { id: await idOf(second), current: false },
        { id: await idOf(first), current: true },
      ],
      next_cursor: null,
    });
    expect(text).not.toMatch(/token/);
  });

  it('pages by key: a session that starts or ends meanwhile neither repeats nor hides a row', async () => {
    const browser = await loggedIn(app);
    for (let count = 1; count < 5; count++) await loggedIn(app, browser.email);
    const all = (await browser.get('/sessions')).body.data.map(({ id }: { id: string }) => id);

    const page = (cursor?: string) => browser.get(`/sessions?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
    const first = (await page()).body;
    await loggedIn(app, browser.email);
    const second = (await page(first.next_cursor)).body;
    const third = (await page(second.next_cursor)).body;

    const paged = [first, second, third].flatMap(({ data }) => data.map(({ id }: { id: string }) => id));
    expect(paged).toEqual(all);
    expect(third.next_cursor).toBeNull();
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['cursor=x', 'cursor'],
    ['cursor=%00', 'cursor'],
    ['offset=3', 'offset'],
  ])('refuses ?%s by its name', async (query, field) => {
    const answer = await (await loggedIn(app)).get(`/sessions?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'ValidationFailed', errors: [{ field }] } });
  });
});

describe('DELETE /sessions/:id', () => {
  it("ends one of the caller's sessions at once", async () => {
    const browser = await loggedIn(app);
    const other = await loggedIn(app, browser.email);

    expect((await browser.delete(`/sessions/${await idOf(other)}`)).status).toBe(204);

    expect((await other.get('/users/me')).status).toBe(401);
    expect((await browser.get('/users/me')).status).toBe(200);
  });

  it("answers for another user's session as for one that does not exist, and does not end it", async () => {
    const [browser, stranger] = [await loggedIn(app), await loggedIn(app)];

    const [foreign, missing] = [
      await browser.delete(`/sessions/${await idOf(stranger)}`),
      await browser.delete('/sessions/01890000-0000-7000-8000-000000000000'),
    ];

    expect(foreign).toMatchObject({ status: 404, body: { code: 'NotFound' } });
    expect({ ...missing.body, request_id: '' }).toEqual({ ...foreign.body, request_id: '' });
    expect((await stranger.get('/users/me')).status).toBe(200);
  });

  it('refuses an id that is no UUID', async () => {
    const answer = await (await loggedIn(app)).delete("/sessions/1' OR true");
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed', errors: [{ field: 'id' }] },
    });
  });
});

describe('DELETE /sessions', () => {
  it('ends all sessions but the current one, and returns how many', async () => {
    const browser = await loggedIn(app);
    const others = [await loggedIn(app, browser.email), await loggedIn(app, browser.email)];

    expect(await browser.delete('/sessions')).toMatchObject({ status: 200, body: { revoked: 2 } });

    for (const other of others) expect((await other.get('/users/me')).status).toBe(401);
    expect((await browser.get('/users/me')).status).toBe(200);
  });

  it('waits for another request that ends sessions of the user, so that the two cannot deadlock', async () => {
    const browser = await loggedIn(app);
    const sql = 'SELECT 1 FROM users WHERE email = $1 FOR NO KEY UPDATE';

    const barrier = { sql, parameters: [browser.email], waiting: 1 };
    const [answer] = await inLockStep(app.database, barrier, () => [browser.delete('/sessions')]);

    expect(answer).toMatchObject({ status: 200, body: { revoked: 0 } });
  });
});

/** Waits for something that happens after the answer. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('the user agent of a session', () => {
  it('is stored up to 512 characters, however long the name of the browser is', async () => {
    const email = (await loggedIn(app)).email;
    const name = 'Mozilla/5.0 '.repeat(100);

    await app.browser({ 'user-agent': name }).post('/auth/login', { email, password: PASSWORD });

    const kept = await app.database.rows(
      `SELECT user_agent FROM sessions WHERE user_id = (SELECT id FROM users WHERE email = $1)
       UNION ALL SELECT user_agent FROM audit_events WHERE user_agent LIKE 'Mozilla%'`,
      [email],
    );
    expect(kept).toContainEqual({ user_agent: name.slice(0, 512) });
    expect(kept.filter(({ user_agent }) => user_agent.length > 512)).toEqual([]);
  });
});
