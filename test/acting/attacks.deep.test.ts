import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import { activeSessions, loggedInAs, PASSWORD } from '../support/accounts.js';
import { actingFor, REASON } from '../support/acting.js';
import type { Browser } from '../support/browser.js';
import { foundOrg, joinOrg, type Member, type TestOrg } from '../support/orgs.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';

/** Three replicas on one database. */
let replicas: [TestApp, TestApp, TestApp];
let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  const settings = { SVC_ACTING: 'on', SVC_ORGS_PER_USER: '5' };
  app = await TestApp.start(settings);
  const more = () => TestApp.start(settings, { database: app.database });
  replicas = [app, await more(), await more()];
  org = await foundOrg(app);
});
afterAll(async () => {
  for (const { nest } of replicas.slice(1)) await nest.close();
  await app.close();
});

const eachReplica = <Answer>(ask: (replica: TestApp) => Promise<Answer>) => Promise.all(replicas.map(ask));

/** The same browser at another replica. */
const at = (replica: TestApp, { jar }: Browser) => Object.assign(replica.browser(), { jar: new Map(jar) });

const countOf = (sql: string, id: string): Promise<number> => app.database.value(sql, [id]);
const actingOf = (adminId: string) =>
  countOf('SELECT count(*)::int FROM sessions WHERE actor_id = $1 AND invalidated_at IS NULL', adminId);

/** What the story of an attacker ends with: the same on every replica, from the very next request on. */
describe('acting ends on the next request of every replica', () => {
  it.each([
    [
      'logs out in another browser of that session',
      (_admin: Member, cookie: string) => app.browser().post('/auth/logout', undefined, { cookie }),
    ],
    [
      'has all sessions ended by another SYSTEM_ADMIN',
      async (admin: Member) => (await loggedInAs(app, 'sys_admin')).delete(`/users/${admin.id}/sessions`),
    ],
    [
      'is demoted by another SYSTEM_ADMIN',
      async (admin: Member) =>
        (await loggedInAs(app, 'sys_admin')).patch(`/users/${admin.id}`, { role: 'member' }),
    ],
    [
      'is disabled by another SYSTEM_ADMIN',
      async (admin: Member) =>
        (await loggedInAs(app, 'sys_admin')).patch(`/users/${admin.id}`, { disabled: true }),
    ],
  ])('when the admin %s', async (_, happens) => {
    const admin = await loggedInAs(app, 'sys_admin');
    const cookie = `session_id=${admin.jar.get('session_id')}`;
    const acting = await actingFor(app, org.member, { orgId: org.id, admin });
    expect(await eachReplica(async (replica) => (await at(replica, acting).get('/users/me')).status)).toEqual(
      [200, 200, 200],
    );

    const { status } = await happens(admin, cookie);
    expect(status).toBeLessThan(300);
    expect(await eachReplica(async (replica) => (await at(replica, acting).get('/users/me')).status)).toEqual(
      [401, 401, 401],
    );
  });

  it('also where the admin is one again before the next request', async () => {
    const [admin, other] = [await loggedInAs(app, 'sys_admin'), await loggedInAs(app, 'sys_admin')];
    const acting = await actingFor(app, org.member, { admin });
    await other.patch(`/users/${admin.id}`, { role: 'member' });
    await other.patch(`/users/${admin.id}`, { role: 'sys_admin' });

    expect((await acting.get('/users/me')).status).toBe(401);
  });
});

describe('at once', () => {
  it('an admin who begins many times acts in one session', async () => {
    const admin = await loggedInAs(app, 'sys_admin');
    const cookie = `session_id=${admin.jar.get('session_id')}`;
    const begun = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (replicas[index % 3] as TestApp)
          .browser()
          .post(`/users/${org.member.id}/act`, { reason: REASON, org_id: org.id }, { cookie }),
      ),
    );

    // One that another has overtaken says so, and gets no cookie.
    for (const { status, body, cookies } of begun.filter((each) => each.status !== 201))
      expect([status, body.code, cookies]).toEqual([401, 'SessionRenewed', []]);
    const ids = begun.flatMap(({ status, body }) => (status === 201 ? [body.session.id] : []));
    const active = 'SELECT id FROM sessions WHERE actor_id = $1 AND invalidated_at IS NULL';
    expect(ids).toContain((await app.database.rows(active, [admin.id]))[0]?.id);
    expect(await actingOf(admin.id)).toBe(1);
    const ended = `SELECT count(*)::int FROM audit_events WHERE type = 'acting.ended' AND actor_id = $1`;
    expect(await countOf(ended, admin.id)).toBe(11);
  });

  it('of those who stop, one gets the session of the admin, and none loses it', async () => {
    const acting = await actingFor(app, org.member);
    const stopped = await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        at(replicas[index % 3] as TestApp, acting).post('/auth/stop-acting'),
      ),
    );

    expect(stopped.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body, cookies } of stopped.filter((each) => each.status !== 200))
      expect([status, body.code, cookies]).toEqual([401, 'SessionRenewed', []]);
    expect(await activeSessions(app, acting.admin)).toBe(1);
  });

  it('a stop and a logout leave no session that a browser no longer holds, or the one that it does', async () => {
    for (let round = 0; round < 6; round++) {
      const acting = await actingFor(app, org.member);
      const [stopped, out] = await Promise.all([
        at(replicas[0], acting).post('/auth/stop-acting'),
        at(replicas[1], acting).post('/auth/logout'),
      ]);

      expect(await actingOf(acting.admin.id)).toBe(0);
      expect(stopped.status === 200 || out.status === 204).toBe(true);
      expect(await activeSessions(app, acting.admin)).toBe(stopped.status === 200 ? 1 : 0);
    }
  });

  it('an account that is disabled, or deleted, is not acted for', async () => {
    for (const method of ['PATCH', 'DELETE'] as const) {
      const { member } = await foundOrg(app);
      const [admin, other] = [await loggedInAs(app, 'sys_admin'), await loggedInAs(app, 'sys_admin')];
      await Promise.all([
        admin.post(`/users/${member.id}/act`, { reason: REASON, org_id: 'none' }),
        at(replicas[1], other).send(
          method,
          `/users/${member.id}`,
          method === 'PATCH' ? { disabled: true } : undefined,
        ),
      ]);
      const { body } = await admin.get('/users/me');

      expect(body.user?.id).not.toBe(member.id);
    }
  });
});

describe('a thief of the cookie of an acting session', () => {
  it('gains no proof, no second session, and nothing that asks for one', async () => {
    const acting = await actingFor(app, org.admin, { orgId: org.id, write: true });
    const thief = at(replicas[2], acting);
    const codes = [
      (await thief.post('/auth/step-up', { password: 'guess' })).body.code,
      (await thief.post(`/users/${org.member.id}/act`, { reason: REASON, org_id: 'none' })).body.code,
      (await thief.delete('/users/me', {})).body.code,
      (await thief.post('/users/me/email', { new_email: 'thief@example.com' })).body.code,
    ];
    expect(codes).toEqual(['NotWhileActing', 'InsufficientRole', 'NotWhileActing', 'NotWhileActing']);

    await thief.post('/auth/stop-acting');
    const asAdmin = await thief.post(`/users/${org.member.id}/act`, { reason: REASON, org_id: 'none' });
    expect(asAdmin.body.code).toBe('StepUpRequired');
  });

  it('ends no session of the admin by one that is over', async () => {
    const acting = await actingFor(app, org.member);
    const thief = at(replicas[1], acting);
    await acting.post('/auth/stop-acting');
    await acting.post('/auth/step-up', { password: PASSWORD });
    const again = await actingFor(app, org.member, { admin: acting.admin });

    expect((await thief.post('/auth/login', { email: org.admin.email, password: PASSWORD })).status).toBe(
      200,
    );
    expect((await again.get('/users/me')).status).toBe(200);
  });

  it('acts no further once the user has left, though they join again', async () => {
    const member = await joinOrg(app, org, Role.MEMBER);
    const thief = at(replicas[1], await actingFor(app, member, { orgId: org.id }));
    await org.admin.delete(`/orgs/${org.id}/members/${member.id}`);
    expect((await at(replicas[0], thief).get('/users/me')).status).toBe(401);
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'org_admin', 'invitation')`,
      [member.id, org.id],
    );

    expect((await thief.get('/users/me')).status).toBe(401);
  });

  it('reads nothing of another organization of the user', async () => {
    const [member, other] = [await joinOrg(app, org, Role.MEMBER), await foundOrg(app)];
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'member', 'invitation')`,
      [member.id, other.id],
    );
    await other.admin.patch(`/orgs/${other.id}/members/${member.id}`, { role: 'readonly' });
    const orgsIn = async (browser: Browser) =>
      new Set(
        (await browser.get('/audit-events')).body.data.map((event: { org_id: string }) => event.org_id),
      );
    expect(await orgsIn(member)).toContain(other.id);

    expect(await orgsIn(await actingFor(app, member, { orgId: org.id }))).not.toContain(other.id);
    expect(await orgsIn(await actingFor(app, member))).toEqual(new Set([null]));
  });

  it('does not act longer than half an hour, however often it is used', async () => {
    const acting = await actingFor(app, org.member);
    const endsAt = async () => (await acting.get('/users/me')).body.session.expires_at;
    const before = await endsAt();
    await app.database.rows(
      `UPDATE sessions SET last_seen_at = now() - interval '10 minutes' WHERE id = $1`,
      [acting.sessionId],
    );

    expect(await endsAt()).toBe(before);
    await app.database.rows('UPDATE sessions SET expires_at = now() WHERE id = $1', [acting.sessionId]);
    expect((await acting.get('/users/me')).status).toBe(401);
  });

  it('reaches no organization by a membership that comes meanwhile', async () => {
    const acting = await actingFor(app, org.member, { orgId: org.id });
    const other = await foundOrg(app);
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'org_admin', 'invitation')`,
      [org.member.id, other.id],
    );

    expect((await acting.get(`/orgs/${other.id}/members`)).status).toBe(404);
  });
});

describe('the check of a session', () => {
  it('costs a second statement where an admin acts, and stays as it was where not', async () => {
    const acting = await actingFor(app, org.member);
    const during = (browser: Browser) => statementsDuring(() => browser.get('/users/me'));
    const aboutSessions = (statements: string[]) => statements.filter((sql) => / sessions s/.test(sql));

    expect(aboutSessions(await during(org.member))).toHaveLength(1);
    const [check, second, ...more] = aboutSessions(await during(acting));
    expect([check, more]).toEqual([(await during(org.member))[0], []]);
    expect(second).toMatch(/parent_id/);
    expect(check).not.toMatch(/parent_id|actor_id/);
  });
});
