import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import { completedSignup, freshAddress, loggedIn, loggedInAs, PASSWORD } from '../support/accounts.js';
import { linked } from '../support/audit.js';
import type { Browser } from '../support/browser.js';
import { asMember, foundOrg, joinOrg, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let org: TestOrg;
let others: TestOrg;
beforeAll(async () => {
  app = await TestApp.start();
  [org, others] = [await foundOrg(app), await foundOrg(app)];
});
afterAll(() => app.close());

/** An id as it is made at a time. */
const idAt = (at: string) => {
  const hex = Date.parse(at).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${randomUUID().slice(-12)}`;
};

const list = async (browser: Browser, query = '') => (await browser.get(`/audit-events${query}`)).body.data;

/** The places that a reader sees a user's acts came from, each once. */
async function originsOf(actorId: string | null, reader: Browser, scope = 'me'): Promise<string[]> {
  const events: Record<string, unknown>[] = await list(reader, `?scope=${scope}&limit=100`);
  const acts = events.filter(({ actor_id }) => actor_id === actorId);
  return [...new Set(acts.map(({ ip, user_agent }) => `${ip}, ${user_agent}`))];
}

const refused = { status: 403, body: { code: 'InsufficientRole' } };

describe('GET /audit-events', () => {
  it('lists what the caller did and what happened to their account, newest first', async () => {
    await org.admin.patch(`/orgs/${org.id}/members/${org.member.id}`, { role: 'readonly' });
    await org.admin.patch(`/orgs/${org.id}/members/${org.member.id}`, { role: 'member' });

    const events = await list(org.member);

    expect(events[0]).toEqual({
      id: expect.any(String),
      type: 'role.changed',
      actor_id: org.admin.id,
      user_id: org.member.id,
      org_id: org.id,
      ip: null,
      user_agent: null,
      details: { from: 'readonly', to: 'member' },
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      actor_email: org.admin.email,
      user_email: org.member.email,
      org_name: 'Analytical',
    });
    for (const { actor_id, user_id } of events) expect([actor_id, user_id]).toContain(org.member.id);
    const ids = events.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([...ids].sort().reverse());
  });

  it('names nobody to whom the reader could not list: an organization learns of its own members alone', async () => {
    const operator = await loggedInAs(app, 'sys_admin');
    const leaver = await joinOrg(app, org, Role.MEMBER);
    await operator.patch(`/orgs/${org.id}`, { name: 'Analytical Engines' });
    await leaver.delete(`/orgs/${org.id}/members/${leaver.id}`);

    const named = async (reader: Browser, query: string) => {
      const events: Record<string, string | null>[] = await list(reader, `?limit=100&${query}`);
      const names = new Map<string | null | undefined, string | null | undefined>();
      for (const event of events) {
        names.set(event.actor_id, event.actor_email);
        names.set(event.user_id, event.user_email);
        names.set(event.org_id, event.org_name);
      }
      return names;
    };
    const ofAdmin = await named(org.admin, 'scope=org');
    expect(ofAdmin.get(org.member.id)).toBe(org.member.email);
    expect(ofAdmin.get(org.id)).toBe('Analytical Engines');
    expect(ofAdmin.get(operator.id)).toBeNull();
    expect(ofAdmin.get(leaver.id)).toBeNull();
    const ofLeaver = await named(leaver, 'scope=me');
    expect(ofLeaver.get(leaver.id)).toBe(leaver.email);
    expect(ofLeaver.get(org.id)).toBeNull();
    const ofOperator = await named(operator, 'scope=all');
    for (const { id, email } of [operator, leaver, org.member]) expect(ofOperator.get(id)).toBe(email);
  });

  it('shows where an act came from to the user who did it and to the admins above them, but not to the user it affected', async () => {
    const operator = await loggedInAs(app, 'sys_admin');
    await org.admin.patch(`/orgs/${org.id}/members/${org.member.id}`, { role: 'readonly' });
    await operator.patch(`/orgs/${org.id}`, { name: 'Difference' });
    await app.browser().post('/auth/login', { email: org.member.email, password: 'not the password' });

    const [shown, withheld] = [['127.0.0.1, lightMyRequest'], ['null, null']];
    expect(await originsOf(org.member.id, org.member)).toEqual(shown);
    expect(await originsOf(null, org.member)).toEqual(shown);
    expect(await originsOf(org.admin.id, org.member)).toEqual(withheld);
    expect(await originsOf(org.admin.id, org.admin, 'org')).toEqual(shown);
    expect(await originsOf(org.member.id, org.admin, 'org')).toEqual(shown);
    expect(await originsOf(operator.id, org.admin, 'org')).toEqual(withheld);
    expect(await originsOf(operator.id, operator, 'all')).toEqual(shown);
    expect(await originsOf(org.admin.id, operator, 'all')).toEqual(shown);
  });

  it('lists the events of an organization for its ORG_ADMIN with ?scope=org, and for no other user', async () => {
    const events = await list(org.admin, '?scope=org&limit=100');

    expect(events.length).toBeGreaterThan(0);
    for (const { org_id } of events) expect(org_id).toBe(org.id);
    for (const browser of [org.member, org.readonly, await loggedIn(app), await loggedInAs(app, 'sys_admin')])
      expect(await browser.get('/audit-events?scope=org')).toMatchObject(refused);
  });

  it('lists there also what callers without a session did with mailed links', async () => {
    const { id, email } = await joinOrg(app, org, Role.MEMBER);
    await app.browser().post('/password/forgot', { email });
    const token = await app.mailbox.token(email);
    await app.browser().post('/password/reset', { token, new_password: PASSWORD });
    const [browser, new_email] = [await loggedIn(app, email), freshAddress()];
    await browser.post('/users/me/email', { new_email, current_password: PASSWORD });
    await browser.post('/users/me/email/confirm', { token: await app.mailbox.token(new_email) });

    const events = await list(org.admin, `?scope=org&user_id=${id}`);

    const types = events.map(({ type }: { type: string }) => type);
    const byLink = ['password.link_requested', 'password.reset', 'email.changed'];
    expect(types).toEqual(expect.arrayContaining(byLink));
  });

  it('lists all events for a SYSTEM_ADMIN with ?scope=all, and for no other user', async () => {
    const events = await list(await loggedInAs(app, 'sys_admin'), '?scope=all&limit=100');

    const orgs = events.map(({ org_id }: { org_id: string }) => org_id);
    expect(orgs).toEqual(expect.arrayContaining([org.id, others.id, null]));
    for (const browser of [org.admin, org.member, org.readonly, await loggedIn(app)])
      expect(await browser.get('/audit-events?scope=all')).toMatchObject(refused);
  });

  it('lists the events of one account with ?user_id=, within the scope', async () => {
    const { id } = org.member;
    const ofMember = (browser: Browser, scope: string) =>
      list(browser, `?scope=${scope}&user_id=${id}&limit=100`);

    const inOrg = await ofMember(org.admin, 'org');
    const inAll = await ofMember(await loggedInAs(app, 'sys_admin'), 'all');
    for (const { actor_id, user_id } of [...inOrg, ...inAll]) expect([actor_id, user_id]).toContain(id);
    for (const events of [inOrg, inAll])
      expect(events).toContainEqual(
        expect.objectContaining({ actor_id: org.admin.id, user_id: id, ip: '127.0.0.1' }),
      );
    expect(await ofMember(others.admin, 'org')).toEqual([]);
    expect(await ofMember(others.admin, 'me')).toEqual([]);
  });

  it('asks for a session', async () => {
    expect((await app.browser().get('/audit-events')).status).toBe(401);
  });

  it('filters by type and by time', async () => {
    const browser = await asMember(await completedSignup(app));
    await browser.patch('/users/me', { name: 'Ada' });
    await linked(app);
    await app.database.rows(
      `UPDATE audit_events SET created_at = '2026-01-31T09:30:00Z' WHERE user_id = $1 AND type = 'email.verified'`,
      [browser.id],
    );
    const types = async (query: string) =>
      (await list(browser, query)).map(({ type }: { type: string }) => type);

    expect(await types('?type=account.updated')).toEqual(['account.updated']);
    expect(await types('?since=2026-01-31T09:30:00Z')).toContain('email.verified');
    expect(await types('?since=2026-01-31T10:30:00.001%2B01:00')).not.toContain('email.verified');
    expect(await types('?since=2026-02-01T00:00:00Z&type=email.verified')).toEqual([]);
  });

  it('lists what happened before ?until=, and from ?since= on', async () => {
    const browser = await asMember(await completedSignup(app));
    const times = ['2026-01-31T09:00:00Z', '2026-01-31T10:00:00Z', '2026-01-31T11:00:00Z'];
    for (const [number, at] of times.entries())
      await app.database.rows(
        `INSERT INTO audit_events (id, type, actor_id, user_id, chain_id, details, created_at)
         VALUES ($1, 'account.updated', $2, $2, $2, $3, $4)`,
        [idAt(at), browser.id, { number }, at],
      );
    const numbers = async (query: string) =>
      (await list(browser, `?type=account.updated&${query}`)).map(
        ({ details }: { details: { number: number } }) => details.number,
      );

    expect(await numbers('until=2026-02-01T00:00:00Z')).toEqual([2, 1, 0]);
    expect(await numbers('until=2026-01-31T11:00:00Z')).toEqual([1, 0]);
    expect(await numbers('since=2026-01-31T10:00:00Z&until=2026-01-31T11:00:00.001Z')).toEqual([2, 1]);
    expect(await numbers('since=2026-01-31T11:00:00Z&until=2026-01-31T10:00:00Z')).toEqual([]);
    expect(await numbers('until=9999-12-31T23:59:59Z')).toEqual([2, 1, 0]);
    expect(await numbers('until=1969-01-01T00:00:00Z')).toEqual([]);
  });

  it('finds an event whose id is from a replica with another clock, up to an hour off', async () => {
    const browser = await asMember(await completedSignup(app));
    for (const made of ['2026-01-31T09:00:01Z', '2026-01-31T10:59:59Z'])
      await app.database.rows(
        `INSERT INTO audit_events (id, type, actor_id, chain_id, created_at)
         VALUES ($1, 'logout', $2, $2, '2026-01-31T10:00:00Z')`,
        [idAt(made), browser.id],
      );

    const around = 'since=2026-01-31T10:00:00Z&until=2026-01-31T10:00:00.001Z';
    expect(await list(browser, `?${around}`)).toHaveLength(2);
  });

  it('takes a family of types', async () => {
    const browser = await asMember(await completedSignup(app));
    await app.browser().post('/auth/login', { email: browser.email, password: `not ${PASSWORD}` });
    await browser.post('/auth/logout');
    const again = await loggedIn(app, browser.email);
    const types = async (query: string) =>
      (await list(again, query)).map(({ type }: { type: string }) => type);

    expect(await types('?type=login.*')).toEqual(['login.succeeded', 'login.failed', 'login.succeeded']);
    expect(await types('?type=login.*&limit=1')).toEqual(['login.succeeded']);
    expect(await types('?type=email.*')).toEqual(['email.verified']);
  });

  it('lists an event once whose actor is its user, and both sides of all others', async () => {
    const events = await list(
      await loggedInAs(app, 'sys_admin'),
      `?scope=all&limit=100&user_id=${org.admin.id}`,
    );

    const ids = events.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual([...ids].sort().reverse());
    const sides = events.map(({ actor_id, user_id }: Record<string, string>) => [
      actor_id === org.admin.id,
      user_id === org.admin.id,
    ]);
    expect(sides).toEqual(
      expect.arrayContaining([
        [true, true],
        [true, false],
      ]),
    );
  });

  it('lists the events of one organization for a SYSTEM_ADMIN with ?org_id=, with where they came from', async () => {
    const operator = await loggedInAs(app, 'sys_admin');
    await operator.patch(`/orgs/${org.id}`, { name: 'Engines' });

    const events = await list(operator, `?scope=all&org_id=${org.id.toUpperCase()}&limit=100`);

    for (const { org_id } of events) expect(org_id).toBe(org.id);
    expect(events[0]).toMatchObject({ type: 'org.updated', actor_id: operator.id, ip: '127.0.0.1' });
  });

  it.each(['scope=org&', 'scope=me&', ''])('refuses %sorg_id=, whatever the organization', async (scope) => {
    for (const { id } of [org, others])
      expect(await org.admin.get(`/audit-events?${scope}org_id=${id}`)).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'org_id', messages: ['goes with scope=all'] }] },
      });
  });

  it('refuses ?org_id= of an ORG_ADMIN who asks for the scope all', async () => {
    expect(await org.admin.get(`/audit-events?scope=all&org_id=${org.id}`)).toMatchObject(refused);
  });

  it.each([
    'scope=everything',
    'scope=me&scope=all',
    'type=account',
    `type=${encodeURIComponent("' OR 1=1 --")}`,
    'type=%00',
    'type=*',
    'type=logout.*',
    'type=log*',
    'until=tomorrow',
    'scope=all&org_id=1',
    'since=yesterday',
    'since=2026-01-31',
    'since=2026-02-31T09:30:00Z',
    'since=0',
    'since=%00',
    'since=infinity',
    'since=0000-01-01T00:00:00Z',
    'limit=0',
    'limit=101',
    'cursor=none',
    'user_id=1',
  ])('refuses ?%s', async (query) => {
    expect(await org.admin.get(`/audit-events?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed' },
    });
  });

  it('pages through all events, each once', async () => {
    const browser = await completedSignup(app);
    for (let number = 0; number < 5; number++) await browser.patch('/users/me', { name: `Ada ${number}` });
    const all = await list(browser);

    const paged = [];
    let cursor = '';
    do {
      const { body } = await browser.get(`/audit-events?limit=2${cursor}`);
      paged.push(...body.data);
      cursor = body.next_cursor && `&cursor=${body.next_cursor}`;
    } while (cursor);

    expect(paged).toEqual(all);
    expect(paged.length).toBeGreaterThanOrEqual(8);
  });
});

describe('a failed login', () => {
  it('is recorded alike for an unknown address and for a wrong password, but for the account', async () => {
    const known = await asMember(await loggedIn(app));
    const fail = (email: string) => app.browser().post('/auth/login', { email, password: `not ${PASSWORD}` });

    await fail(known.email);
    await fail('nobody-knows-me@example.com');

    const events = await app.database.rows(
      `SELECT actor_id, user_id, org_id, ip, user_agent, details FROM audit_events
        WHERE type = 'login.failed' ORDER BY id DESC LIMIT 2`,
    );
    expect(events[0]).toEqual({ ...events[1], user_id: null });
    expect(events[1]).toMatchObject({ user_id: known.id, details: { reason: 'InvalidCredentials' } });
  });
});
