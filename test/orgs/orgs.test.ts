import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import { freshAddress, loggedIn, loggedInAs } from '../support/accounts.js';
import { Held } from '../support/lock-step.js';
import { asMember, foundOrg, invite, type Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let root: Member;
beforeAll(async () => {
  app = await TestApp.start();
  root = await loggedInAs(app, 'sys_admin');
});
afterAll(() => app.close());

describe('GET /orgs', () => {
  const named = async (query: string) => {
    const { status, body } = await root.get(`/orgs?${query}`);
    expect(status).toBe(200);
    return body.data.map(({ name }: { name: string }) => name);
  };
  const idOf = (name: string) =>
    app.database.value('INSERT INTO organizations (id, name) VALUES ($1, $2) RETURNING id', [uuidv7(), name]);

  it('lists the organizations with ?name= as a part of theirs, in upper or lower case, and reads it as it is written', async () => {
    await idOf('Pied Piper');
    await idOf('100 % _Äther_');

    expect(await named('name=pipe')).toEqual(['Pied Piper']);
    expect(await named('name=D%20P')).toEqual(['Pied Piper']);
    expect(await named('name=%25%20_')).toEqual(['100 % _Äther_']);
    for (const none of ['P%25r', 'Pied_Piper', "'"]) expect(await named(`name=${none}`)).toEqual([]);
  });

  it('lists the organizations of ?ids=, without those there are not', async () => {
    const [one, other] = [await idOf('Hooli'), await idOf('Raviga')];

    expect((await named(`ids=${one},${other},${root.id}`)).sort()).toEqual(['Hooli', 'Raviga']);
    expect(await named(`ids=${one},${other}&name=HOO`)).toEqual(['Hooli']);
  });

  it.each(['name=', 'name=%00', `name=${'a'.repeat(201)}`, 'ids=Hooli', 'role=member'])(
    'refuses ?%s',
    async (query) => {
      expect(await root.get(`/orgs?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'ValidationFailed', errors: [{ field: query.split('=')[0] }] },
      });
    },
  );
});

describe('POST /orgs', () => {
  it('makes an organization and invites its admin by mail', async () => {
    const email = freshAddress();

    const { status, body } = await root.post('/orgs', { name: 'Initech', admin_email: email });

    expect(status).toBe(201);
    expect(body).toMatchObject({
      org: { name: 'Initech', member_count: 0 },
      invitation: { org_id: body.org.id, email, role: 'org_admin', status: 'pending', invited_by: root.id },
    });
    expect(Object.keys(body.org).sort()).toEqual([
      'created_at',
      'external_id',
      'id',
      'locale',
      'member_count',
      'name',
      'second_factor_required',
    ]);
    expect(JSON.stringify(body)).not.toContain(await app.mailbox.token(email));
  });

  it('makes nothing for an address that belongs to an organization, and invites one that belongs to none', async () => {
    const { member } = await foundOrg(app);
    const orgs = () => app.database.value('SELECT count(*)::int FROM organizations');
    const [before, mails] = [await orgs(), await app.mailbox.to(member.email)];

    const refused = await root.post('/orgs', { name: 'Initech', admin_email: member.email });
    expect(refused).toMatchObject({ status: 409, body: { code: 'AlreadyInOrganization' } });
    expect([await orgs(), await app.mailbox.to(member.email)]).toEqual([before, mails]);

    const free = await loggedIn(app);
    expect((await root.post('/orgs', { name: 'Initech', admin_email: free.email })).status).toBe(201);
  });

  it('makes nothing for a SYSTEM_ADMIN who loses the role while it waits for their row', async () => {
    const creator = await asMember(await loggedInAs(app, 'sys_admin'));
    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [creator.id]);
    const late = creator.post('/orgs', { name: 'Never founded', admin_email: freshAddress() });
    await held.untilWaiting(1);
    await held.run(`UPDATE users SET own_role = 'member' WHERE id = '${creator.id}'`);
    await held.release();

    expect(await late).toMatchObject({ status: 403, body: { code: 'InsufficientRole' } });
    const founded = 'SELECT 1 FROM organizations WHERE name = $1';
    expect(await app.database.rows(founded, ['Never founded'])).toEqual([]);
  });

  it('makes nothing for an address whose account joins an organization at that moment', async () => {
    const [org, joining] = [await foundOrg(app), await asMember(await loggedIn(app))];
    const token = await invite(app, org.admin, org.id, joining.email);

    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE', [
      joining.email,
    ]);
    const join = joining.post('/invitations/accept', { token });
    await held.untilWaiting(1);
    const create = root.post('/orgs', { name: 'Initech', admin_email: joining.email });
    await held.untilWaiting(2);
    await held.release();

    expect([(await join).status, (await create).body.code]).toEqual([200, 'AlreadyInOrganization']);
  });
});

describe('GET /orgs', () => {
  it('pages through all organizations, newest first', async () => {
    const names = ['First', 'Second', 'Third'];
    for (const name of names) await root.post('/orgs', { name, admin_email: freshAddress() });

    const first = (await root.get('/orgs?limit=2')).body;
    const second = (await root.get(`/orgs?limit=2&cursor=${first.next_cursor}`)).body;

    const seen = [...first.data, ...second.data].map(({ name }: { name: string }) => name);
    expect(seen.slice(0, 3)).toEqual(['Third', 'Second', 'First']);
  });

  it('finds them by ?search=, sorts them by name, and counts them', async () => {
    const names = ['Zeta Pumps', 'alpha pumps', 'Beta PUMPS'];
    const ids: string[] = [];
    for (const name of names)
      ids.push((await root.post('/orgs', { name, admin_email: freshAddress() })).body.org.id);
    const found = async (query: string) =>
      (await root.get(`/orgs?${query}`)).body.data.map(({ name }: { name: string }) => name);

    expect(await found('search=pumps&sort=name')).toEqual(['alpha pumps', 'Beta PUMPS', 'Zeta Pumps']);
    expect(await found('search=pumps&sort=created_at')).toEqual(names);
    expect(await found(`search=${ids[1]}`)).toEqual(['alpha pumps']);
    expect(await found('search=b')).toContain('Beta PUMPS');
    expect(await found('search=100%25')).toEqual([]);

    const { total, next_cursor } = (await root.get('/orgs?search=pumps&sort=-name&limit=2')).body;
    expect(total).toBe(3);
    expect(await found(`search=pumps&sort=-name&cursor=${next_cursor}`)).toEqual(['alpha pumps']);
    const forged = Buffer.from(JSON.stringify(['created_at', 'x', ids[0]])).toString('base64url');
    for (const query of [
      `cursor=${next_cursor}`,
      `sort=created_at&cursor=${forged}`,
      `search=${'a'.repeat(1000)}`,
    ])
      expect(await root.get(`/orgs?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'ValidationFailed' },
      });
  });
});

describe('/orgs/:org_id', () => {
  it('shows members their organization, and lets its admin rename it', async () => {
    const { id, admin, readonly } = await foundOrg(app);

    expect((await readonly.get(`/orgs/${id}`)).body.org).toMatchObject({
      id,
      name: 'Analytical',
      member_count: 3,
    });
    expect((await readonly.patch(`/orgs/${id}`, { name: 'Mine' })).body.code).toBe('InsufficientRole');

    expect((await admin.patch(`/orgs/${id}`, { name: 'Difference' })).body.org.name).toBe('Difference');
    expect((await root.get(`/orgs/${id}`)).body.org.name).toBe('Difference');
  });

  it('lets a SYSTEM_ADMIN delete it: the members stay as users without one, the invitations end', async () => {
    const { id, admin, member } = await foundOrg(app);
    await admin.post(`/orgs/${id}/invitations`, { email: freshAddress(), role: 'member' });

    expect((await admin.delete(`/orgs/${id}`)).body.code).toBe('InsufficientRole');
    expect((await root.delete(`/orgs/${id}`)).status).toBe(204);

    for (const browser of [admin, member]) {
      expect((await browser.get('/users/me')).body.user).toMatchObject({ org_id: null, role: 'member' });
    }
    expect(await app.database.rows('SELECT 1 FROM invitations WHERE org_id = $1', [id])).toEqual([]);
    expect((await root.get(`/orgs/${id}`)).status).toBe(404);
  });
});
