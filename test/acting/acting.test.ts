import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import { Role } from '../../src/http/role.js';
import { activeSessions, loggedIn, loggedInAs, PASSWORD, verified } from '../support/accounts.js';
import { type ActingBrowser, actingFor, REASON } from '../support/acting.js';
import { eventsAfter } from '../support/audit.js';
import type { Browser } from '../support/browser.js';
import { invitationFor } from '../support/crowd.js';
import { asMember, foundOrg, joinOrg, type Member, place, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { TOKENS } from '../support/token-keys.js';

let app: TestApp;
let off: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await TestApp.start({ SVC_ACTING: 'on', SVC_ORGS_PER_USER: '5', ...TOKENS });
  off = await TestApp.start({}, { database: app.database });
  org = await foundOrg(app);
});
afterAll(async () => {
  await off.nest.close();
  await app.close();
});

let admin: Member;
let user: Member;
beforeEach(async () => {
  admin = await loggedInAs(app, 'sys_admin');
  user = await joinOrg(app, org, Role.MEMBER);
});

const act = (browser: Browser, id: string, body: object = {}) =>
  browser.post(`/users/${id}/act`, { reason: REASON, org_id: 'none', ...body });

const me = async (browser: Browser) => (await browser.get('/users/me')).body;

/** Lets time pass since the user of a session proved who they are. */
const ageProofs = (id: string, minutes: number) =>
  app.database.rows(
    'UPDATE sessions SET authenticated_at = authenticated_at - make_interval(mins => $2) WHERE user_id = $1',
    [id, minutes],
  );

describe('POST /users/:id/act', () => {
  it('gives the browser a session of the user, in one of their organizations, which says who acts', async () => {
    const { status, body, cookies } = await act(admin, user.id, { org_id: org.id });

    const acting = { actor_id: admin.id, org_id: org.id, write: false };
    expect([status, cookies.length]).toEqual([201, 1]);
    expect(body.session).toMatchObject({ auth_method: 'acting', acting, authenticated_at: null, ip: null });
    expect(body.user).toMatchObject({ id: user.id, org_id: org.id, role: 'member' });
    expect(await me(admin)).toMatchObject({
      user: { id: user.id },
      session: { acting },
      organizations: [{ id: org.id, unmet: [] }],
    });
  });

  it('ends after half an hour, or with the session of the admin if that is sooner', async () => {
    const lifetime = async () => {
      const { body } = await act(admin, user.id);
      return Date.parse(body.session.expires_at) - Date.parse(body.session.created_at);
    };
    expect(await lifetime()).toBe(30 * 60_000);

    admin = await loggedInAs(app, 'sys_admin');
    await app.database.rows(
      `UPDATE sessions SET expires_at = now() + interval '5 minutes' WHERE user_id = $1`,
      [admin.id],
    );
    expect(await lifetime()).toBeLessThanOrEqual(5 * 60_000);
  });

  it('enters no organization but the one that it is for', async () => {
    const other = await foundOrg(app);
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'org_admin', 'invitation')`,
      [user.id, other.id],
    );
    const inOrg = await actingFor(app, user, { orgId: org.id });
    const inNone = await actingFor(app, user);
    const statusOf = async (browser: Browser, path: string, named?: string) =>
      (await browser.get(path, named === undefined ? {} : { 'latchkey-org': named })).status;

    expect(await statusOf(inOrg, '/audit-events')).toBe(200);
    expect(await statusOf(inOrg, '/audit-events', org.id)).toBe(200);
    expect(await statusOf(inOrg, '/audit-events', 'none')).toBe(404);
    expect(await statusOf(inOrg, '/audit-events', other.id)).toBe(404);
    expect(await statusOf(inOrg, `/orgs/${org.id}/members`)).toBe(200);
    expect(await statusOf(inOrg, `/orgs/${other.id}/members`)).toBe(404);
    expect(await statusOf(inNone, '/audit-events')).toBe(200);
    expect(await statusOf(inNone, '/audit-events', org.id)).toBe(404);
    expect(await statusOf(inNone, `/orgs/${org.id}/members`)).toBe(404);
    expect((await me(inOrg)).organizations.map(({ id }: { id: string }) => id)).toEqual([org.id]);
    expect(await me(inNone)).toMatchObject({ organizations: [], user: { org_id: null, role: 'member' } });
  });

  it('records who acts for whom, why, where and until when', async () => {
    const events = await eventsAfter(app, () => act(admin, user.id, { org_id: org.id, write: true }));

    const { session } = await me(admin);
    expect(events).toEqual([
      expect.objectContaining({
        type: 'acting.started',
        actor_id: admin.id,
        user_id: user.id,
        org_id: org.id,
        details: { session_id: session.id, reason: REASON, write: true, expires_at: session.expires_at },
      }),
    ]);
  });

  it('tells the owner by mail why, and names no admin', async () => {
    await act(admin, user.id);

    const mail = await app.mailbox.last(user.email);
    expect(mail.subject).toBe('An administrator is using your account');
    expect(mail.text).toContain(`The reason they gave: ${REASON}`);
    expect(mail.text).toContain('They can change nothing');
    expect(mail.text).not.toContain(admin.email);
  });

  it('remembers no device and no login', async () => {
    const known = () =>
      app.database.rows(
        `SELECT (SELECT count(*)::int FROM known_devices WHERE user_id = $1) AS devices,
                (SELECT logged_in_at FROM last_logins WHERE user_id = $1) AS "loggedInAt"`,
        [user.id],
      );
    const before = await known();
    await act(admin, user.id);

    expect(await known()).toEqual(before);
    expect((await app.mailbox.to(user.email)).map(({ subject }) => subject)).not.toContain(
      'A new login to your account',
    );
  });

  it.each([
    ['an unknown user', async () => [uuidv7(), {}], 404, 'NotFound'],
    ['a SYSTEM_ADMIN', async () => [(await loggedInAs(app, 'sys_admin')).id, {}], 403, 'InsufficientRole'],
    ['oneself', async () => [admin.id, {}], 403, 'InsufficientRole'],
    [
      'an organization of others',
      async () => [user.id, { org_id: (await foundOrg(app)).id }],
      404,
      'NotFound',
    ],
    ['an unknown organization', async () => [user.id, { org_id: uuidv7() }], 404, 'NotFound'],
    ['no reason', async () => [user.id, { reason: '' }], 400, 'ValidationFailed'],
    [
      'a reason of 201 characters',
      async () => [user.id, { reason: 'a'.repeat(201) }],
      400,
      'ValidationFailed',
    ],
    ['no organization named', async () => [user.id, { org_id: undefined }], 400, 'ValidationFailed'],
    ['a name for an organization', async () => [user.id, { org_id: 'initech' }], 400, 'ValidationFailed'],
    ['a null for whether to write', async () => [user.id, { write: null }], 400, 'ValidationFailed'],
  ] as [string, () => Promise<[string, object]>, number, string][])(
    'is refused for %s, and starts nothing',
    async (_, given, status, code) => {
      const [id, body] = await given();
      const answer = await act(admin, id, body);

      expect([answer.status, answer.body.code]).toEqual([status, code]);
      expect(await me(admin)).toMatchObject({ user: { id: admin.id }, session: { acting: null } });
    },
  );

  it('is refused for a disabled account', async () => {
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [user.id]);

    expect((await act(admin, user.id)).body.code).toBe('AccountDisabled');
  });

  it('asks for a recent proof, and for a SYSTEM_ADMIN', async () => {
    await ageProofs(admin.id, 11);

    expect((await act(admin, user.id)).body.code).toBe('StepUpRequired');
    expect((await act(org.admin, user.id)).body.code).toBe('InsufficientRole');
    expect((await act(app.browser(), user.id)).status).toBe(401);
  });

  it('is no more than a path that does not exist where it is off', async () => {
    const browser = Object.assign(off.browser(), { jar: admin.jar });
    for (const path of [`/users/${user.id}/act`, '/auth/stop-acting']) {
      const { status, body } = await browser.post(path, {});
      expect([status, body.code]).toEqual([404, 'NotFound']);
    }
  });
});

describe('a session that acts', () => {
  it('does not begin in an organization that refuses it, and ends where one begins to', async () => {
    const refusing = await foundOrg(app);
    const [one, other] = [await loggedInAs(app, 'sys_admin'), await actingFor(app, org.member)];
    const acting = await actingFor(app, refusing.member, { orgId: refusing.id });
    const set = (allowed: boolean) =>
      refusing.admin.patch(`/orgs/${refusing.id}/policy`, { acting: allowed });
    const events = await eventsAfter(app, () => set(false));

    expect(events.map(({ type, actor_id, details }) => ({ type, actor_id, details }))).toEqual([
      {
        type: 'acting.ended',
        actor_id: refusing.admin.id,
        details: { session_id: acting.sessionId, admin_id: acting.admin.id },
      },
      {
        type: 'org.policy_changed',
        actor_id: refusing.admin.id,
        details: { former_acting: true, acting: false },
      },
    ]);
    const refused = await act(one, refusing.member.id, { org_id: refusing.id });
    expect([refused.status, refused.body.code]).toEqual([409, 'OrgRefusesActing']);
    // Allowed again, it does not go on.
    await set(true);
    expect((await acting.get('/users/me')).status).toBe(401);
    expect((await other.get('/users/me')).status).toBe(200);
    expect((await act(one, refusing.member.id, { org_id: refusing.id })).status).toBe(201);
  });

  it('meets what an organization asks of its members, as the SYSTEM_ADMIN behind it does', async () => {
    const strict = await foundOrg(app);
    await app.database.rows(
      `UPDATE organizations SET second_factor_required_at = now(), policy_login_methods = '{passkey}' WHERE id = $1`,
      [strict.id],
    );
    const acting = await actingFor(app, strict.member, { orgId: strict.id });

    expect((await acting.get(`/orgs/${strict.id}/members`)).status).toBe(200);
  });

  it('does not count as an entry of the member, nor as one of their logins', async () => {
    const acting = await actingFor(app, org.readonly, { orgId: org.id });
    await acting.get(`/orgs/${org.id}/members`);
    await acting.get('/audit-events');
    await new Promise((resolve) => setTimeout(resolve, 2_500));

    const entries = 'SELECT 1 FROM org_entries WHERE session_id = $1';
    expect(await app.database.rows(entries, [acting.sessionId])).toEqual([]);
  });

  it('only reads, unless it was asked for otherwise', async () => {
    const looking = await actingFor(app, org.admin, { orgId: org.id });
    const writing = await actingFor(app, org.admin, { orgId: org.id, write: true });
    const rename = (browser: Browser) => browser.patch(`/orgs/${org.id}`, { name: 'Analytical Engines' });

    expect((await rename(looking)).body).toMatchObject({
      code: 'NotWhileActing',
      detail: 'You are acting for this user, and may only look.',
    });
    expect((await rename(writing)).status).toBe(200);
  });

  it('names the admin as actor and the user as the one for whom, in all that is done meanwhile', async () => {
    const acting = await actingFor(app, org.admin, { orgId: org.id, write: true });
    const events = await eventsAfter(app, () =>
      acting.patch(`/orgs/${org.id}`, { name: 'Difference Engines' }),
    );

    expect(events).toEqual([
      expect.objectContaining({
        type: 'org.updated',
        actor_id: acting.admin.id,
        user_id: org.admin.id,
        org_id: org.id,
        details: { acting_for: org.admin.id },
      }),
    ]);
    const line = app.log.map((each) => JSON.parse(each)).findLast(({ method }) => method === 'PATCH');
    expect(line).toMatchObject({ user_id: org.admin.id, actor_id: acting.admin.id, org_id: org.id });
  });

  it('uses up the limits of the admin, and none of the user', async () => {
    const limited = await TestApp.start(
      { SVC_ACTING: 'on', SVC_RATE_LIMITS: 'on', SVC_LIMIT_INVITE_PER_USER: '1/1h' },
      { database: app.database },
    );
    const acting = await actingFor(app, org.admin, { orgId: org.id, write: true });
    const invite = async (cookies: Browser) =>
      (
        await Object.assign(limited.browser(), { jar: cookies.jar }).post(`/orgs/${org.id}/invitations`, {
          email: `${uuidv7()}@example.com`,
          role: 'member',
        })
      ).status;

    expect([await invite(acting), await invite(acting)]).toEqual([201, 429]);
    expect(await invite(org.admin)).toBe(201);
    await limited.nest.close();
  });

  it('can prove nothing, and do nothing that asks for a proof', async () => {
    const acting = await actingFor(app, org.admin, { orgId: org.id, write: true });
    const refused = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
      (await acting.send(method, path, body)).body.code;

    expect(await refused('POST', '/auth/step-up', { password: PASSWORD })).toBe('NotWhileActing');
    expect(await refused('PATCH', `/orgs/${org.id}`, { second_factor_required: true })).toBe(
      'NotWhileActing',
    );
    expect(await refused('PATCH', `/orgs/${org.id}/members/${org.member.id}`, { role: 'org_admin' })).toBe(
      'NotWhileActing',
    );
    expect(
      await refused('POST', `/orgs/${org.id}/invitations`, { email: 'eve@example.com', role: 'org_admin' }),
    ).toBe('NotWhileActing');
  });

  it('is named as the admin where it is refused on a public route', async () => {
    const acting = await actingFor(app, user);
    const events = await eventsAfter(app, () =>
      acting.post('/invitations/accept', { token: 'x'.repeat(43) }),
    );

    expect(events).toMatchObject([
      {
        type: 'access.refused',
        actor_id: acting.admin.id,
        user_id: user.id,
        details: { code: 'NotWhileActing', acting_for: user.id },
      },
    ]);
  });

  it('accepts no invitation in the name of the user', async () => {
    const acting = await actingFor(app, user, { orgId: org.id, write: true });
    const token = await invitationFor(app.database, user.email, (await foundOrg(app)).id);

    expect((await acting.post('/invitations/accept', { token })).body.code).toBe('NotWhileActing');
    expect((await user.post('/invitations/accept', { token })).status).toBe(200);
  });

  it('is seen by the owner, without address and agent, who can end it', async () => {
    const acting = await actingFor(app, user, { orgId: org.id });
    const { data } = (await user.get('/sessions')).body;
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({
      id: acting.sessionId,
      current: false,
      auth_method: 'acting',
      ip: null,
      user_agent: null,
      acting: { actor_id: acting.admin.id, org_id: org.id, write: false },
    });
    expect(data[1].acting).toBeNull();

    const events = await eventsAfter(app, () => user.delete(`/sessions/${acting.sessionId}`));
    expect(events[0]).toMatchObject({ type: 'acting.ended', actor_id: user.id, user_id: user.id });
    expect((await acting.get('/users/me')).status).toBe(401);
  });
});

describe('POST /auth/stop-acting', () => {
  it('goes back to the session of the admin, under a fresh cookie and no longer recent', async () => {
    const former = admin.jar.get('session_id');
    await act(admin, user.id);
    const token = admin.jar.get('session_id');
    const stopped = await admin.post('/auth/stop-acting');

    expect(stopped.status).toBe(200);
    expect(stopped.body).toMatchObject({ user: { id: admin.id }, session: { acting: null } });
    expect([former, token]).not.toContain(admin.jar.get('session_id'));
    expect((await act(admin, user.id)).body.code).toBe('StepUpRequired');
    expect(await activeSessions(app, user)).toBe(1);
  });

  it('records that it ended', async () => {
    const acting = await actingFor(app, user, { orgId: org.id });
    const events = await eventsAfter(app, () => acting.post('/auth/stop-acting'));

    expect(events).toEqual([
      expect.objectContaining({
        type: 'acting.ended',
        actor_id: acting.admin.id,
        user_id: user.id,
        org_id: org.id,
        details: { session_id: acting.sessionId, admin_id: acting.admin.id, acting_for: user.id },
      }),
    ]);
  });

  it('leaves the fresh cookie to a request of another tab that was under way', async () => {
    const acting = await actingFor(app, user);
    const cookie = `session_id=${acting.jar.get('session_id')}`;
    await acting.post('/auth/stop-acting');

    const late = await app.browser().get('/users/me', { cookie });
    expect([late.status, late.body.code, late.cookies]).toEqual([401, 'SessionRenewed', []]);
    await app.database.rows(
      `UPDATE sessions SET invalidated_at = now() - interval '2 minutes' WHERE id = $1`,
      [acting.sessionId],
    );
    expect((await app.browser().get('/users/me', { cookie })).body.code).toBe('Unauthenticated');
  });

  it('is refused to a session that does not act', async () => {
    const { status, body } = await user.post('/auth/stop-acting');

    expect([status, body.code]).toEqual([409, 'NotActing']);
  });
});

describe('POST /auth/logout', () => {
  it('ends both sessions, and records both', async () => {
    const acting = await actingFor(app, user);
    const events = await eventsAfter(app, () => acting.post('/auth/logout'));

    expect(events.map(({ type, actor_id, user_id }) => ({ type, actor_id, user_id }))).toEqual([
      { type: 'acting.ended', actor_id: acting.admin.id, user_id: user.id },
      { type: 'logout', actor_id: acting.admin.id, user_id: acting.admin.id },
    ]);
    expect(await activeSessions(app, acting.admin)).toBe(0);
    expect((await acting.get('/users/me')).status).toBe(401);
    expect(await me(user)).toMatchObject({ user: { id: user.id } });
  });

  it('so does a login in the same browser', async () => {
    const acting = await actingFor(app, user);
    const email = await verified(app);
    await acting.post('/auth/login', { email, password: PASSWORD });

    expect(await activeSessions(app, acting.admin)).toBe(0);
    expect(await activeSessions(app, user)).toBe(1);
    expect((await me(acting)).user.email).toBe(email);
  });
});

describe('acting ends with the next request', () => {
  const statusOf = async (acting: ActingBrowser) => (await acting.get('/users/me')).status;

  it.each([
    [
      'logs out elsewhere',
      (id: string) =>
        app.database.rows('UPDATE sessions SET invalidated_at = now() WHERE user_id = $1', [id]),
    ],
    [
      'has a session that expires',
      (id: string) => app.database.rows('UPDATE sessions SET expires_at = now() WHERE user_id = $1', [id]),
    ],
    [
      'is disabled',
      (id: string) => app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [id]),
    ],
    [
      'is demoted',
      (id: string) => app.database.rows(`UPDATE users SET own_role = 'member' WHERE id = $1`, [id]),
    ],
  ])('when the admin %s', async (_, happens) => {
    const acting = await actingFor(app, user);
    await happens(acting.admin.id);

    expect(await statusOf(acting)).toBe(401);
  });

  it('when the user leaves the organization', async () => {
    const acting = await actingFor(app, user, { orgId: org.id });
    await place(app.database, user.id, null);

    expect(await statusOf(acting)).toBe(401);
  });

  it('when the user is suspended in the organization', async () => {
    const acting = await actingFor(app, user, { orgId: org.id, write: true });
    await org.admin.patch(`/orgs/${org.id}/members/${user.id}`, { suspended: true });

    expect(await statusOf(acting)).toBe(401);
    expect((await act(admin, user.id, { org_id: org.id })).body.code).toBe('NotFound');
  });

  it.each([
    ['ends it', (owner: Browser, id: string) => owner.delete(`/sessions/${id}`)],
    ['ends all others', (owner: Browser) => owner.delete('/sessions')],
    [
      'changes the password',
      (owner: Browser) =>
        owner.post('/password/update', {
          current_password: PASSWORD,
          new_password: 'another long pass phrase',
        }),
    ],
  ])('when the owner %s, which is recorded in the organization that it was for', async (_, ends) => {
    const acting = await actingFor(app, user, { orgId: org.id });
    const events = await eventsAfter(app, () => ends(user, acting.sessionId));

    expect(events.filter(({ type }) => type === 'acting.ended')).toMatchObject([
      {
        actor_id: user.id,
        user_id: user.id,
        org_id: org.id,
        details: { session_id: acting.sessionId, admin_id: acting.admin.id },
      },
    ]);
    expect(await statusOf(acting)).toBe(401);
  });

  it('when the owner ended it, and a login in that browser then ends the session of the admin', async () => {
    const acting = await actingFor(app, user);
    await user.delete(`/sessions/${acting.sessionId}`);
    await acting.post('/auth/login', { email: org.admin.email, password: PASSWORD });

    expect(await activeSessions(app, acting.admin)).toBe(0);
  });

  it('when the user becomes a SYSTEM_ADMIN', async () => {
    const acting = await actingFor(app, user);
    await app.database.rows(`UPDATE users SET own_role = 'sys_admin' WHERE id = $1`, [user.id]);

    expect(await statusOf(acting)).toBe(401);
  });

  it('when the organization refuses it from now on', async () => {
    const refusing = await foundOrg(app);
    const acting = await actingFor(app, refusing.member, { orgId: refusing.id });
    await app.database.rows('UPDATE organizations SET policy_acting = false WHERE id = $1', [refusing.id]);

    expect(await statusOf(acting)).toBe(401);
  });

  it('when it is turned off', async () => {
    const acting = await actingFor(app, user);

    expect((await Object.assign(off.browser(), { jar: acting.jar }).get('/users/me')).status).toBe(401);
  });

  it('but not when the admin acts in another browser', async () => {
    const acting = await actingFor(app, user);
    const again = Object.assign(await asMember(await loggedIn(app, acting.admin.email)), {});
    await actingFor(app, org.member, { admin: again });

    expect(await statusOf(acting)).toBe(200);
  });
});

describe('what a back end is told', () => {
  it('of a session that may only look is signed for no method', async () => {
    const acting = await actingFor(app, user, { orgId: org.id });
    const { status, headers } = await acting.get('/sessions/verify?audience=reports&method=GET');

    expect([status, headers['latchkey-assertion']]).toEqual([200, '']);
  });

  it('of a session that may write is who acts, in the body and in the signed assertion', async () => {
    const acting = await actingFor(app, user, { orgId: org.id, write: true });
    const { status, body, headers } = await acting.get('/sessions/verify?audience=reports');

    const [, claims = ''] = String(headers['latchkey-assertion']).split('.');
    expect([status, body.session.acting.actor_id]).toEqual([200, acting.admin.id]);
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      sub: user.id,
      act: { sub: acting.admin.id },
    });
    const { body: issued } = await acting.post('/sessions/token', { audience: 'reports' });
    expect(JSON.parse(Buffer.from(issued.token.split('.')[1], 'base64url').toString())).toMatchObject({
      act: { sub: acting.admin.id },
    });
  });

  it.each([
    ['GET', '?method=GET', {}, 200],
    ['HEAD', '?method=HEAD', {}, 200],
    ['POST', '?method=POST', {}, 403],
    ['nothing', '', {}, 403],
    ['nothing, but the client a header', '', { 'x-forwarded-method': 'GET' }, 403],
    ['the header, which says GET', '?method=header', { 'x-forwarded-method': 'GET' }, 200],
    ['the header, which says DELETE', '?method=header', { 'x-forwarded-method': 'DELETE' }, 403],
    ['the header, which is not there', '?method=header', {}, 403],
    ['the header, which comes twice', '?method=header', { 'x-forwarded-method': 'GET, POST' }, 403],
    ['two methods', '?method=GET&method=POST', {}, 400],
    ['a method in lower case', '?method=get', {}, 400],
  ])(
    'of one that only looks is refused unless the rule says that it reads: %s',
    async (_, query, headers, status) => {
      const acting = await actingFor(app, user, { orgId: org.id });
      const answer = await acting.get(`/sessions/verify${query}`, headers);

      expect([answer.status, answer.headers['latchkey-user-id']]).toEqual([
        status,
        status === 200 ? user.id : undefined,
      ]);
      expect((await user.get(`/sessions/verify${query}`, headers)).status).toBe(status === 400 ? 400 : 200);
    },
  );

  it('on another host is nothing of one that only looks: its token would open more', async () => {
    const acting = await actingFor(app, user);

    expect((await acting.post('/sessions/token', { audience: 'reports' })).body.code).toBe('NotWhileActing');
  });
});
