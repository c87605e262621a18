import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { withAdmin } from '../../src/client/admin.js';
import {
  isProblem,
  type Latchkey,
  type LatchkeyInOrg,
  type LatchkeyOptions,
} from '../../src/client/latchkey.js';
import { loggedIn } from '../support/accounts.js';
import { asMember, foundOrg, type Member, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { CookieJar } from './cookie-jar.js';

let app: TestApp;
let url: string;
let a: TestOrg;
let b: TestOrg;
let foreign: TestOrg;
beforeAll(async () => {
  app = await TestApp.start({ SVC_ORGS_PER_USER: '5' });
  url = `http://127.0.0.1:${await app.listen()}`;
  a = await foundOrg(app, 'Analytical');
  b = await foundOrg(app, 'Babbage');
  foreign = await foundOrg(app, 'Colossus');
});
afterAll(() => app.close());

const unsubscribers: (() => void)[] = [];
afterEach(() => {
  for (const unsubscribe of unsubscribers.splice(0)) unsubscribe();
});

/** A user who reads in A and administers B, and what the client of their page has sent. */
async function consultant(options: LatchkeyOptions = {}) {
  const user = await asMember(await loggedIn(app));
  for (const [{ id }, role] of [
    [a, 'readonly'],
    [b, 'org_admin'],
  ] as const)
    await join(user, id, role);
  const jar = new CookieJar(user);
  const sent: { route: string; org: string | null }[] = [];
  const fetch: typeof globalThis.fetch = (address, init) => {
    const route = `${init?.method} ${String(address).slice(url.length)}`;
    sent.push({ route, org: new Headers(init?.headers).get('latchkey-org') });
    return jar.fetch(address, init);
  };
  return { user, latchkey: jar.tab(url, { fetch, ...options }), sent, jar };
}

const join = ({ id }: Member, orgId: string, role: string) =>
  app.database.rows(
    `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, $3, 'invitation')`,
    [id, orgId, role],
  );

const leave = ({ id }: Member, orgId: string) =>
  app.database.rows('DELETE FROM memberships WHERE user_id = $1 AND org_id = $2', [id, orgId]);

type Client = Latchkey | LatchkeyInOrg;

/** Follows a session as a page does, once it is known. */
async function follow({ session }: Client): Promise<void> {
  unsubscribers.push(session.subscribe(() => {}));
  await until(() => session.getSnapshot().status !== 'loading');
}

function whoIn({ session }: Client) {
  const snapshot = session.getSnapshot();
  return snapshot.status === 'in' ? [snapshot.user.org_id, snapshot.user.role] : snapshot.status;
}

describe('a client in an organization', () => {
  it('is the same object for the same id', async () => {
    const { latchkey } = await consultant();

    expect(latchkey.in(a.id)).toBe(latchkey.in(a.id));
    expect(latchkey.in(a.id)).not.toBe(latchkey.in(b.id));
    expect(latchkey.in(a.id).in(b.id)).toBe(latchkey.in(b.id));
    expect(latchkey.in(null)).toBe(latchkey.in(null));
    const admin = withAdmin(latchkey);
    expect(admin.in(a.id)).toBe(admin.in(a.id));
  });

  it('fills the organization into a path, and names it in the header of other requests', async () => {
    const { latchkey, sent } = await consultant();

    expect((await latchkey.in(b.id).getOrg()).org.name).toBe('Babbage');
    const { data } = await latchkey.in(b.id).call('GET /orgs/{org_id}/members', { limit: 1 });
    expect(data).toHaveLength(1);
    expect((await withAdmin(latchkey).in(b.id).listInvitations()).data).toEqual([]);
    expect((await latchkey.in(a.id).me()).user).toMatchObject({ org_id: a.id, role: 'readonly' });
    expect((await latchkey.in(null).me()).user).toMatchObject({ org_id: null, role: 'member' });
    expect((await latchkey.me()).user.org_id).toBeNull();

    expect(sent).toEqual([
      { route: `GET /orgs/${b.id}`, org: null },
      { route: `GET /orgs/${b.id}/members?limit=1`, org: null },
      { route: `GET /orgs/${b.id}/invitations`, org: null },
      { route: 'GET /users/me', org: a.id },
      { route: 'GET /users/me', org: 'none' },
      { route: 'GET /users/me', org: null },
    ]);
  });

  it('sends nothing to another organization, whatever it is given', async () => {
    const { latchkey, sent } = await consultant();
    const inA = latchkey.in(a.id) as unknown as Latchkey;

    await expect(inA.getOrg({ org_id: b.id })).rejects.toThrow('org_id is that of another organization');
    await expect((latchkey.in(null) as unknown as Latchkey).getOrg({ org_id: b.id })).rejects.toThrow(
      TypeError,
    );
    expect(sent).toEqual([]);
    expect((await inA.getOrg({ org_id: a.id })).org.name).toBe('Analytical');
  });

  it('lets its user do what is of the person', async () => {
    const { latchkey } = await consultant();

    await latchkey.in(a.id).updateMe({ name: 'Ada' });
    expect((await latchkey.me()).user.name).toBe('Ada');
    await latchkey.in(foreign.id).logout();
    await expect(latchkey.me()).rejects.toMatchObject({ code: 'Unauthenticated' });
  });

  it('throws what an organization of others answers', async () => {
    const { latchkey } = await consultant();

    for (const ask of [() => latchkey.in(foreign.id).me(), () => latchkey.in(foreign.id).getOrg()])
      await expect(ask()).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('throws what the organization asks for, with its id', async () => {
    const { latchkey } = await consultant();
    await app.database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [
      b.id,
    ]);

    const error = await latchkey
      .in(b.id)
      .getOrg()
      .catch((problem) => problem);
    await app.database.rows('UPDATE organizations SET second_factor_required_at = NULL WHERE id = $1', [
      b.id,
    ]);

    if (!isProblem(error, 'OrgPolicyUnmet')) throw error;
    expect([error.org_id, error.unmet, error.cure]).toEqual([b.id, ['second_factor'], 'set_up_factor']);
  });
});

describe('the session of a client in an organization', () => {
  it('says who the user is there, and stays as it is when another one changes', async () => {
    const { user, latchkey } = await consultant();
    const [inA, inB] = [latchkey.in(a.id), latchkey.in(b.id)];
    await Promise.all([latchkey, inA, inB].map(follow));
    expect([whoIn(latchkey), whoIn(inA), whoIn(inB)]).toEqual([
      [null, 'member'],
      [a.id, 'readonly'],
      [b.id, 'org_admin'],
    ]);

    const before = inB.session.getSnapshot();
    await app.database.rows(`UPDATE memberships SET role = 'member' WHERE user_id = $1 AND org_id = $2`, [
      user.id,
      a.id,
    ]);
    await inA.session.refresh();

    expect(whoIn(inA)).toEqual([a.id, 'member']);
    expect(inB.session.getSnapshot()).toBe(before);
  });

  it('says that the user is no member while the organization suspends them', async () => {
    const { user, latchkey } = await consultant();
    const [inA, inB] = [latchkey.in(a.id), latchkey.in(b.id)];
    await Promise.all([inA, inB].map(follow));
    const suspend = (suspended: boolean) => a.admin.patch(`/orgs/${a.id}/members/${user.id}`, { suspended });

    await suspend(true);
    await inA.session.refresh();
    expect([whoIn(inA), whoIn(inB)]).toEqual(['no_member', [b.id, 'org_admin']]);
    await suspend(false);
    await inA.session.refresh();
    expect(whoIn(inA)).toEqual([a.id, 'readonly']);
  });

  it('says that the user is no member, once they are not, and follows a login and a logout', async () => {
    const { user, latchkey } = await consultant();
    const [inA, inB] = [latchkey.in(a.id), latchkey.in(b.id)];
    await Promise.all([latchkey, inA, inB].map(follow));

    await leave(user, a.id);
    await inA.session.refresh();
    expect([whoIn(inA), whoIn(inB)]).toEqual(['no_member', [b.id, 'org_admin']]);

    await join(user, a.id, 'member');
    await inA.session.refresh();
    expect(whoIn(inA)).toEqual([a.id, 'member']);

    await inA.logout();
    await until(() => [latchkey, inA, inB].every((client) => whoIn(client) === 'out'));
  });

  it('hears of a change that another client of the page has made', async () => {
    const { latchkey } = await consultant();
    const inA = latchkey.in(a.id);
    await Promise.all([latchkey, inA].map(follow));
    const nameOf = ({ session }: Client) => {
      const snapshot = session.getSnapshot();
      return snapshot.status === 'in' && snapshot.user.name;
    };

    await latchkey.updateMe({ name: 'Ada' });
    await until(() => nameOf(latchkey) === 'Ada' && nameOf(inA) === 'Ada');
    await inA.updateMe({ name: 'Grace' });
    await until(() => nameOf(latchkey) === 'Grace' && nameOf(inA) === 'Grace');
  });
});

describe('a proof that clients in two organizations ask for', () => {
  it('is asked of the user once', async () => {
    let asked = 0;
    const { user, latchkey } = await consultant({
      stepUp: async () => {
        asked++;
        return false;
      },
    });
    await app.database.rows(`UPDATE memberships SET role = 'org_admin' WHERE user_id = $1`, [user.id]);
    await app.database.rows(
      `UPDATE sessions SET authenticated_at = now() - interval '1 hour' WHERE user_id = $1`,
      [user.id],
    );

    const admin = withAdmin(latchkey);
    const removals = [a, b].map(({ id, admin: peer }) =>
      admin
        .in(id)
        .removeMember({ user_id: peer.id })
        .catch(({ code }) => code),
    );

    expect(await Promise.all(removals)).toEqual(['StepUpRequired', 'StepUpRequired']);
    expect(asked).toBe(1);
  });
});
