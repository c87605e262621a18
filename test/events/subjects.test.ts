import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import pg from 'pg';
import { EventSubjectsRepository } from '../../src/events/event-subjects.repository.js';
import { loggedIn, loggedInAs, PASSWORD } from '../support/accounts.js';
import { appOwner } from '../support/authenticator-app.js';
import type { Browser } from '../support/browser.js';
import { asMember, foundOrg } from '../support/orgs.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';

@Module({ providers: [EventSubjectsRepository] })
class SubjectsModule {}

let app: TestApp;
let subjects: EventSubjectsRepository;
beforeAll(async () => {
  const product = { modules: [SubjectsModule] };
  app = await TestApp.start({}, { product });
  subjects = app.nest.get(EventSubjectsRepository, { strict: false });
});
afterAll(() => app.close());

/** What would be sent now of the newest event of a type. */
async function payloadOf(type: string) {
  const id = await app.database.value(
    'SELECT id FROM audit_events WHERE type = $1 ORDER BY id DESC LIMIT 1',
    [type],
  );
  // biome-ignore lint/suspicious/noExplicitAny: the test that asks knows what the event is about.
  return JSON.parse(JSON.stringify((await subjects.read([id])).get(id) ?? null)) as any;
}

/** A user as SYSTEM_ADMINs see them, without the last login: each one would make an event. */
async function shownTo(admin: Browser, id: string) {
  const { last_login_at: _, org_name: __, ...user } = (await admin.get(`/users/${id}`)).body.user;
  return user;
}

describe('what is sent of an event', () => {
  it('is what happened, and the user as a SYSTEM_ADMIN sees them now', async () => {
    const [admin, user] = [await loggedInAs(app, 'sys_admin'), await asMember(await loggedIn(app))];
    await admin.patch(`/users/${user.id}`, { role: 'readonly' });
    await user.patch('/users/me', { name: 'Ada' });

    const payload = await payloadOf('role.changed');

    expect(payload).toEqual({
      type: 'role.changed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        actor_id: admin.id,
        user_id: user.id,
        org_id: null,
        details: { from: 'member', to: 'readonly' },
        version: expect.any(Number),
        user: await shownTo(admin, user.id),
      },
    });
    expect(payload.data.user).toMatchObject({ name: 'Ada', role: 'readonly' });
    expect(Math.abs(payload.data.version / 1000 - Date.now())).toBeLessThan(60_000);
  });

  it('says under which ids another system knows the user and the organization, as only SYSTEM_ADMINs see them', async () => {
    const [admin, org] = [await loggedInAs(app, 'sys_admin'), await foundOrg(app)];
    await app.database.rows(`UPDATE users SET external_id = 'auth0|5f7c' WHERE id = $1`, [org.member.id]);
    await app.database.rows(`UPDATE organizations SET external_id = 'org_a1' WHERE id = $1`, [org.id]);
    await org.admin.patch(`/orgs/${org.id}`, { name: 'Difference' });
    await admin.patch(`/users/${org.member.id}`, { name: 'Ada' });

    expect((await payloadOf('org.updated')).data.org).toEqual(
      (await admin.get(`/orgs?ids=${org.id}`)).body.data[0],
    );
    expect((await payloadOf('org.updated')).data.org.external_id).toBe('org_a1');
    expect((await payloadOf('account.updated')).data.user).toEqual(await shownTo(admin, org.member.id));
    expect((await shownTo(admin, org.member.id)).external_id).toBe('auth0|5f7c');
    const seen = await Promise.all([
      org.admin.get(`/orgs/${org.id}`),
      org.admin.get(`/orgs/${org.id}/members`),
      org.member.get('/users/me'),
    ]);
    for (const { status, text } of seen) expect([status, text.includes('external_id')]).toEqual([200, false]);
  });

  it('says whether the user has a second factor', async () => {
    const [admin, { id, browser }] = [await loggedInAs(app, 'sys_admin'), await appOwner(app)];
    const shown = () => shownTo(admin, id);

    expect((await payloadOf('second_step.on')).data.user).toEqual(await shown());
    expect((await shown()).has_factor).toBe(true);
    await browser.delete('/users/me/totp');
    expect((await payloadOf('second_step.on')).data.user).toEqual(await shown());
    expect((await shown()).has_factor).toBe(false);
  });

  it('holds null for a user who is gone', async () => {
    const user = await asMember(await loggedIn(app));
    await user.patch('/users/me', { name: 'Ada' });
    await user.send('DELETE', '/users/me', { current_password: PASSWORD });

    expect((await payloadOf('account.updated')).data).toMatchObject({ user_id: user.id, user: null });
    expect((await payloadOf('account.deleted')).data).toMatchObject({ user_id: user.id, user: null });
  });

  it('is the organization as it is now, null once it is gone', async () => {
    const [{ id, admin }, root] = [await foundOrg(app), await loggedInAs(app, 'sys_admin')];
    await admin.patch(`/orgs/${id}`, { name: 'Initech' });

    expect((await payloadOf('org.updated')).data).toMatchObject({
      org_id: id,
      org: (await admin.get(`/orgs/${id}`)).body.org,
    });
    await root.delete(`/orgs/${id}`);
    expect((await payloadOf('org.updated')).data).toMatchObject({ org_id: id, org: null });
    expect((await payloadOf('org.deleted')).data).toMatchObject({ org_id: id, org: null });
    expect((await payloadOf('member.removed')).data).toMatchObject({
      org_id: id,
      user: { org_id: null, role: 'member' },
    });
  });

  it('is the custom role as it is now, null once it is gone', async () => {
    const { id, admin, member } = await foundOrg(app);
    const { role } = (
      await admin.post(`/orgs/${id}/roles`, { name: 'Guest', base: 'readonly', permissions: [] })
    ).body;
    await admin.patch(`/orgs/${id}/roles/${role.id}`, { name: 'Visitor' });
    await admin.patch(`/orgs/${id}/members/${member.id}`, { role_id: role.id });

    const [, , , listed] = (await admin.get(`/orgs/${id}/roles`)).body.data;
    for (const type of ['custom_role.made', 'custom_role.changed'])
      expect((await payloadOf(type)).data).toMatchObject({
        org_id: id,
        role: { ...listed, name: 'Visitor', member_count: 1 },
      });
    expect((await payloadOf('role.changed')).data.details).toEqual({
      from: 'member',
      to: 'readonly',
      role_id: role.id,
    });
    await admin.patch(`/orgs/${id}/members/${member.id}`, { role: 'member' });
    await admin.delete(`/orgs/${id}/roles/${role.id}`);
    for (const type of ['custom_role.made', 'custom_role.removed'])
      expect((await payloadOf(type)).data).toMatchObject({ org_id: id, role: null });
  });

  it('says which organization has suspended the user', async () => {
    const { id, admin, member } = await foundOrg(app);
    const change = (suspended: boolean) => admin.patch(`/orgs/${id}/members/${member.id}`, { suspended });

    await change(true);
    expect((await payloadOf('member.suspended')).data).toMatchObject({
      org_id: id,
      details: { from: 'member' },
      user: { org_id: null, role: 'member', organizations: [{ id, role: 'member', suspended: true }] },
    });
    await change(false);
    expect((await payloadOf('member.resumed')).data).toMatchObject({
      org_id: id,
      details: { role: 'member' },
      user: { org_id: id, organizations: [{ id, role: 'member', suspended: false }] },
    });
  });

  it('never is the address of the client, or its browser', async () => {
    await loggedIn(app);
    const payload = await payloadOf('login.succeeded');

    expect(
      await app.database.value(`SELECT ip FROM audit_events WHERE type = 'login.succeeded' LIMIT 1`),
    ).toBe('127.0.0.1');
    expect(JSON.stringify(payload)).not.toMatch(/127\.0\.0\.1|lightMyRequest|user_agent/);
  });

  it('is read for ten events in one statement, and missing for one that was pruned', async () => {
    await loggedIn(app);
    const ids = (await app.database.rows('SELECT id FROM audit_events ORDER BY id DESC LIMIT 10')).map(
      ({ id }) => id,
    );
    const pruned = '01890000-0000-7000-8000-000000000000';

    let read = new Map();
    const statements = await statementsDuring(async () => {
      read = await subjects.read([...ids, pruned]);
    });

    expect(statements).toHaveLength(1);
    expect([...read.keys()].sort()).toEqual(ids.sort());
  });

  it('is nothing for a type that is not sent', async () => {
    await app.browser().post('/auth/login', { email: 'ada@example.com', password: PASSWORD });
    expect(await payloadOf('login.failed')).toBeNull();
  });
});

describe('the version of what is sent', () => {
  /** Lets something happen after PostgreSQL has taken the snapshot of a statement, and before it runs the statement. */
  async function between(read: () => Promise<unknown>, happens: () => Promise<unknown>) {
    const { execute, sync, flush } = pg.Connection.prototype;
    let isHeld = true;
    const held: (() => void)[] = [];
    const hold = (method: typeof execute) =>
      function (this: pg.Connection, ...call: unknown[]) {
        if (isHeld) held.push(() => Reflect.apply(method, this, call));
        else Reflect.apply(method, this, call);
        if (isHeld) Reflect.apply(flush, this, []);
      };
    const spies = [
      jest.spyOn(pg.Connection.prototype, 'execute').mockImplementation(hold(execute)),
      jest.spyOn(pg.Connection.prototype, 'sync').mockImplementation(hold(sync)),
    ];
    const reading = read();
    await setTimeout(100);
    isHeld = false;
    for (const spy of spies) spy.mockRestore();
    await happens();
    for (const send of held) send();
    return reading;
  }

  it('is lower for a state that was read before a change than for one read after it', async () => {
    const user = await asMember(await loggedIn(app));
    await user.patch('/users/me', { name: 'before' });
    let later: Awaited<ReturnType<typeof payloadOf>>;
    // biome-ignore lint/suspicious/noExplicitAny: what an event about a user holds.
    let earlier: any;

    const id = await app.database.value(
      `SELECT id FROM audit_events WHERE type = 'account.updated' ORDER BY id DESC`,
    );
    await between(
      async () => {
        earlier = (await subjects.read([id])).get(id);
      },
      async () => {
        await user.patch('/users/me', { name: 'after' });
        later = await payloadOf('account.updated');
      },
    );

    expect([earlier.data.user.name, later.data.user.name]).toEqual(['before', 'after']);
    expect(earlier.data.version).toBeLessThan(later.data.version);
  });
});
