import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, loggedInAs } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import { Held } from '../support/lock-step.js';
import { asMember, foundOrg, invite } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const newUser = async () => asMember(await loggedIn(app));
const orgsNamed = (name: string) =>
  app.database.value('SELECT count(*)::int FROM organizations WHERE name = $1', [name]);

describe('POST /users/me/org', () => {
  it('founds an organization, which the caller administers from the next request on', async () => {
    const founder = await newUser();

    const { status, body } = await founder.post('/users/me/org', { name: ' Initech ' });

    expect(status).toBe(201);
    expect(body).toMatchObject({
      org: { name: 'Initech', member_count: 1, second_factor_required: false },
      user: { id: founder.id, role: 'org_admin', org_id: body.org.id },
    });
    expect((await founder.get('/users/me')).body.user).toEqual(body.user);
    const invited = { email: freshAddress(), role: 'member' };
    expect((await founder.post(`/orgs/${body.org.id}/invitations`, invited)).status).toBe(201);
  });

  it('tells the founder, with a link that secures the account', async () => {
    const founder = await newUser();

    expect((await founder.post('/users/me/org', { name: 'Initech' })).status).toBe(201);

    const mail = (await app.mailbox.to(founder.email)).at(-1);
    expect(mail?.subject).toBe('Your account created an organization');
    expect(mail?.text).toContain('created the organization “Initech”');
    expect(mail?.text).toMatch(/secure-account\?token=/);
  });

  it('leaves a SYSTEM_ADMIN their role', async () => {
    const founder = await loggedInAs(app, 'sys_admin');

    const { body } = await founder.post('/users/me/org', { name: 'Initech' });

    expect(body.user).toMatchObject({ role: 'sys_admin', org_id: body.org.id });
  });

  it('records the organization, and that its founder joined it', async () => {
    const founder = await newUser();
    let orgId = '';

    const events = await eventsAfter(app, async () => {
      orgId = (await founder.post('/users/me/org', { name: 'Initech' })).body.org.id;
    });

    const about = { actor_id: founder.id, user_id: founder.id, org_id: orgId };
    expect(events).toMatchObject([
      { type: 'org.created', ...about },
      { type: 'member.joined', ...about, details: { role: 'org_admin' } },
    ]);
  });

  it('makes nothing for a member of an organization', async () => {
    const { member } = await foundOrg(app);

    const answer = await member.post('/users/me/org', { name: 'Never founded' });

    expect(answer).toMatchObject({ status: 409, body: { code: 'AlreadyInOrganization' } });
    expect(await orgsNamed('Never founded')).toBe(0);
  });

  it('makes nothing for a user whose session ends at that moment', async () => {
    const founder = await newUser();

    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [founder.id]);
    const late = founder.post('/users/me/org', { name: 'Too late' });
    await held.untilWaiting(1);
    await app.database.rows('UPDATE sessions SET invalidated_at = now() WHERE user_id = $1', [founder.id]);
    await held.release();

    expect(await late).toMatchObject({ status: 401, body: { code: 'Unauthenticated' } });
    expect(await orgsNamed('Too late')).toBe(0);
  });

  it('raises no user whom a SYSTEM_ADMIN has made READONLY, not even at that moment', async () => {
    const founder = await newUser();

    const lowering = `UPDATE users SET own_role = 'readonly' WHERE id = $1`;
    const held = await Held.by(app.database, lowering, [founder.id]);
    const late = founder.post('/users/me/org', { name: 'Risen' });
    await held.untilWaiting(1);
    await held.release();
    const later = await founder.post('/users/me/org', { name: 'Risen' });

    for (const answer of [await late, later])
      expect(answer).toMatchObject({ status: 403, body: { code: 'InsufficientRole' } });
    expect((await founder.get('/users/me')).body.user).toMatchObject({ role: 'readonly', org_id: null });
    expect(await orgsNamed('Risen')).toBe(0);
  });

  it('keeps an invitation that waits elsewhere from being accepted', async () => {
    const [{ id, admin }, founder] = [await foundOrg(app), await newUser()];
    const token = await invite(app, admin, id, founder.email);
    await founder.post('/users/me/org', { name: 'Initech' });

    const answer = await founder.post('/invitations/accept', { token });

    expect(answer).toMatchObject({ status: 409, body: { code: 'AlreadyInOrganization' } });
  });

  it('lets the founder leave again, which ends the organization, and found another one', async () => {
    const founder = await newUser();
    const { body } = await founder.post('/users/me/org', { name: 'Initech' });

    expect((await founder.delete(`/orgs/${body.org.id}/members/${founder.id}`)).status).toBe(204);
    expect((await founder.get('/users/me')).body.user).toMatchObject({ role: 'member', org_id: null });
    expect((await founder.post('/users/me/org', { name: 'Initrode' })).status).toBe(201);
  });

  it('is 404 in B2B', async () => {
    const b2b = await TestApp.start({ SVC_APP_MODE: 'b2b' }, { database: app.database });
    const founder = await loggedIn(b2b);

    const answer = await founder.post('/users/me/org', { name: 'Initech' });
    await b2b.nest.close();

    expect(answer).toMatchObject({ status: 404, body: { code: 'NotFound' } });
  });
});
