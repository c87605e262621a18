import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ACCOUNTS, activeSessions, loggedIn, loggedInAs } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import { asMember, foundOrg, type Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let admin: Member;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());
beforeEach(async () => {
  admin = await loggedInAs(app, 'sys_admin');
});

/** A user who is logged in in two browsers. */
async function twice(): Promise<{ user: Member; other: Member }> {
  const user = await asMember(await loggedIn(app));
  return { user, other: await asMember(await loggedIn(app, user.email)) };
}

const currentOf = async (browser: Member): Promise<string> =>
  (await browser.get('/users/me')).body.session.id;
const notFound = { status: 404, body: { code: 'NotFound' } };

describe('GET /users/:id/sessions', () => {
  it('lists the active sessions of a user, newest first, none of which is current', async () => {
    const { user, other } = await twice();
    await asMember(await loggedIn(app, user.email)).then((browser) => browser.post('/auth/logout'));

    const { status, body, text } = await admin.get(`/users/${user.id}/sessions`);

    expect(status).toBe(200);
    const own = (await other.get('/sessions')).body.data;
    expect(body).toEqual({
      data: own.map((session: object) => ({
        ...session,
        current: false,
        last_seen_at: expect.any(String),
      })),
      next_cursor: null,
    });
    expect(body.data).toHaveLength(2);
    expect(text).not.toMatch(/token|hash/);
  });

  it('marks the session in use among those of the caller', async () => {
    const { data } = (await admin.get(`/users/${admin.id}/sessions`)).body;
    expect(data).toMatchObject([{ id: await currentOf(admin), current: true }]);
  });

  it('pages by key', async () => {
    const { user } = await twice();
    const first = (await admin.get(`/users/${user.id}/sessions?limit=1`)).body;
    const second = (await admin.get(`/users/${user.id}/sessions?limit=1&cursor=${first.next_cursor}`)).body;

    expect([first.data.length, second.data.length, second.next_cursor]).toEqual([1, 1, null]);
    expect(first.data[0].id > second.data[0].id).toBe(true);
  });

  it('finds none of a user there is not', async () => {
    expect(await admin.get(`/users/${randomUUID()}/sessions`)).toMatchObject(notFound);
  });
});

describe('DELETE /users/:id/sessions', () => {
  it('ends all sessions of a user at once, and the logins that lack their second step', async () => {
    const { user, other } = await twice();
    await app.database.rows(
      `INSERT INTO pending_logins (token_hash, user_id, auth_method, expires_at)
       VALUES (uuid_send($1), $1, 'password', now() + interval '1 hour')`,
      [user.id],
    );

    expect(await admin.delete(`/users/${user.id}/sessions`)).toMatchObject({
      status: 200,
      body: { revoked: 2 },
    });

    for (const browser of [user, other]) expect((await browser.get('/users/me')).status).toBe(401);
    const pending = 'SELECT count(*)::int FROM pending_logins WHERE user_id = $1';
    expect(await app.database.value(pending, [user.id])).toBe(0);
    expect((await admin.get('/users/me')).status).toBe(200);
  });

  it('ends all of the caller but the one in use', async () => {
    await loggedIn(app, admin.email);

    const [event] = await eventsAfter(app, async () => {
      expect((await admin.delete(`/users/${admin.id}/sessions`)).body).toEqual({ revoked: 1 });
    });

    expect(event.details).toEqual({ ended: 1, kept_session_id: await currentOf(admin) });
    expect((await admin.get('/users/me')).status).toBe(200);
    expect(await activeSessions(app, admin)).toBe(1);
  });

  it('is recorded with the admin who did it, once', async () => {
    const { user } = await foundOrg(app).then(({ member }) => ({ user: member }));
    const org_id = await app.database.value(`SELECT org_id FROM ${ACCOUNTS} WHERE id = $1`, [user.id]);

    const events = await eventsAfter(app, async () => {
      await admin.delete(`/users/${user.id}/sessions`);
      await admin.delete(`/users/${user.id}/sessions`);
    });

    expect(events).toMatchObject([
      { type: 'sessions.ended', actor_id: admin.id, user_id: user.id, org_id, details: { ended: 1 } },
    ]);
  });

  it('finds none of a user there is not', async () => {
    expect(await admin.delete(`/users/${randomUUID()}/sessions`)).toMatchObject(notFound);
  });
});

describe('DELETE /users/:id/sessions/:session_id', () => {
  it('ends one session of a user, and records it', async () => {
    const { user, other } = await twice();
    const session_id = await currentOf(other);

    const events = await eventsAfter(app, async () => {
      expect((await admin.delete(`/users/${user.id}/sessions/${session_id}`)).status).toBe(204);
    });

    expect((await other.get('/users/me')).status).toBe(401);
    expect((await user.get('/users/me')).status).toBe(200);
    expect(events).toMatchObject([
      { type: 'session.ended', actor_id: admin.id, user_id: user.id, details: { session_id } },
    ]);
  });

  it('finds neither a session that has ended nor one of another user', async () => {
    const { user, other } = await twice();
    const ended = await currentOf(other);
    await other.post('/auth/logout');

    for (const id of [ended, await currentOf(admin), randomUUID()])
      expect(await admin.delete(`/users/${user.id}/sessions/${id}`)).toMatchObject(notFound);
    expect((await admin.get('/users/me')).status).toBe(200);
  });
});

describe('an ORG_ADMIN', () => {
  it('neither sees nor ends the sessions of a member', async () => {
    const org = await foundOrg(app);
    const sessions = `/users/${org.member.id}/sessions`;
    const session = await currentOf(org.member);

    for (const answer of [
      await org.admin.get(sessions),
      await org.admin.delete(sessions),
      await org.admin.delete(`${sessions}/${session}`),
    ])
      expect(answer).toMatchObject({ status: 403, body: { code: 'InsufficientRole' } });
    expect((await org.member.get('/users/me')).status).toBe(200);
  });
});
