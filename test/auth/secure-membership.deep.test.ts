import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import { ACCOUNTS, freshAddress, loggedIn, PASSWORD } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import { Held } from '../support/lock-step.js';
import { tokenIn } from '../support/mails.js';
import { imported } from '../support/ndjson.js';
import { asMember, invite, joinByInvitation, type Member, signUpOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const SECURED = 'Your account was secured';

/** The link that the service mails to the owner after a login from a new browser. */
async function alarmTo(email: string): Promise<string> {
  await loggedIn(app, email);
  const alarms = (await app.mailbox.to(email))
    .map(({ text }) => tokenIn(text))
    .filter((token) => token !== '');
  return alarms.at(-1) ?? '';
}

const secure = (token: string) => app.browser().post('/auth/secure-account', { token });

const standing = async (id: string) =>
  (await app.database.rows(`SELECT org_id, role FROM ${ACCOUNTS} WHERE id = $1`, [id]))[0];

async function mailOf(email: string): Promise<string> {
  const mail = (await app.mailbox.to(email)).findLast(({ subject }) => subject === SECURED);
  return mail?.text.replaceAll('\u200b', '') ?? '';
}

/** Lets time pass since a user joined their organization. */
const joinedAgo = (id: string, interval: string) =>
  app.database.rows(
    `UPDATE audit_events SET created_at = now() - $2::interval WHERE user_id = $1 AND type = 'member.joined'`,
    [id, interval],
  );

/** A user who has an account, and whose intruder joined an organization with it. */
async function joined(org: { id: string; admin: Member }, role: Role = Role.MEMBER): Promise<Member> {
  const victim = await asMember(await loggedIn(app));
  const token = await invite(app, org.admin, org.id, victim.email, role);
  expect((await victim.post('/invitations/accept', { token })).status).toBe(200);
  return victim;
}

describe('POST /auth/secure-account', () => {
  it('ends a membership begun in the last 72 hours, whose admins then see nothing of the owner', async () => {
    const org = await signUpOrg(app, 'Intruders & Sons');
    const victim = await joined(org, Role.READONLY);
    const token = await alarmTo(victim.email);

    const events = await eventsAfter(app, async () => expect((await secure(token)).status).toBe(204));

    expect(await standing(victim.id)).toEqual({ org_id: null, role: 'member' });
    const seen = events.filter(({ org_id }) => org_id === org.id);
    expect(seen).toMatchObject([{ type: 'member.removed', user_id: victim.id, actor_id: null, ip: null }]);
    expect(events.map(({ type }) => type)).toContain('account.secured');
    const text = await mailOf(victim.email);
    expect(text).toContain('It joined the organization “Intruders & Sons”.');
    expect(text).toContain('The account also left its organization');
  });

  it('keeps an older membership', async () => {
    const org = await signUpOrg(app);
    await joinedAgo(org.member.id, '73 hours');

    expect((await secure(await alarmTo(org.member.email))).status).toBe(204);

    expect(await standing(org.member.id)).toEqual({ org_id: org.id, role: 'member' });
    expect(await mailOf(org.member.email)).toContain('did nothing to organizations and roles');
  });

  it('keeps a membership that an import has brought', async () => {
    const [org, email] = [await signUpOrg(app), freshAddress()];
    await imported(app, [{ email, email_verified: true, organizations: [{ id: org.id, role: 'member' }] }]);
    const { id } = (await app.database.rows('SELECT id FROM users WHERE email = $1', [email]))[0];
    await app.database.rows(
      `UPDATE users u SET password_hash = m.password_hash, password_changed_at = now() FROM users m WHERE u.id = $1 AND m.id = $2`,
      [id, org.member.id],
    );
    await loggedIn(app, email);

    expect((await secure(await alarmTo(email))).status).toBe(204);

    expect(await standing(id)).toEqual({ org_id: org.id, role: 'member' });
  });

  it('keeps the membership of the only member, and of the only admin: nothing dissolves', async () => {
    const [founder, org] = [await asMember(await loggedIn(app)), await signUpOrg(app)];
    expect((await founder.post('/users/me/org', { name: 'Alone' })).status).toBe(201);

    for (const { email } of [founder, org.admin])
      expect((await secure(await alarmTo(email))).status).toBe(204);

    expect(await standing(founder.id)).toMatchObject({ org_id: expect.any(String), role: 'org_admin' });
    expect(await standing(org.admin.id)).toEqual({ org_id: org.id, role: 'org_admin' });
    expect(await mailOf(founder.email)).toContain('It created the organization “Alone”.');
    expect(await mailOf(founder.email)).toContain('The account stays in its organization');
  });

  it('ends the membership of an admin beside an older one', async () => {
    const org = await signUpOrg(app);
    const second = await joinByInvitation(app, org, Role.ORG_ADMIN);

    expect((await secure(await alarmTo(second.email))).status).toBe(204);

    expect(await standing(second.id)).toEqual({ org_id: null, role: 'member' });
  });

  it('keeps a founder in the organization beside an admin they appointed, who lowered their role', async () => {
    const org = await signUpOrg(app);
    const intruder = org.member;
    const path = `/orgs/${org.id}/members`;
    expect((await org.admin.patch(`${path}/${intruder.id}`, { role: Role.ORG_ADMIN })).status).toBe(200);
    expect((await intruder.patch(`${path}/${org.admin.id}`, { role: Role.MEMBER })).status).toBe(200);

    expect((await secure(await alarmTo(org.admin.email))).status).toBe(204);

    expect(await standing(org.admin.id)).toEqual({ org_id: org.id, role: 'member' });
    expect(await mailOf(org.admin.email)).toContain('The account stays in its organization');
  });

  it('does not leave an organization to admins whom the account lately appointed or invited', async () => {
    const org = await signUpOrg(app);
    const victim = await joinByInvitation(app, org, Role.ORG_ADMIN);
    await joinByInvitation(app, { id: org.id, admin: victim }, Role.ORG_ADMIN);
    const path = `/orgs/${org.id}/members`;
    expect((await victim.patch(`${path}/${org.member.id}`, { role: Role.ORG_ADMIN })).status).toBe(200);
    expect((await victim.patch(`${path}/${org.admin.id}`, { role: Role.MEMBER })).status).toBe(200);

    expect((await secure(await alarmTo(victim.email))).status).toBe(204);

    expect(await standing(victim.id)).toEqual({ org_id: org.id, role: 'org_admin' });
  });

  it('does not leave an organization to admins whom the account lately let in again', async () => {
    const org = await signUpOrg(app);
    const victim = await joinByInvitation(app, org, Role.ORG_ADMIN);
    const accomplice = await joinByInvitation(app, org, Role.ORG_ADMIN);
    const path = `/orgs/${org.id}/members`;
    const suspend = (by: Member, { id }: Member, suspended: boolean) =>
      by.patch(`${path}/${id}`, { suspended });
    await suspend(org.admin, accomplice, true);
    await suspend(victim, accomplice, false);
    expect((await suspend(victim, org.admin, true)).status).toBe(200);

    expect((await secure(await alarmTo(victim.email))).status).toBe(204);

    expect(await standing(victim.id)).toEqual({ org_id: org.id, role: 'org_admin' });
    const [mail] = (await app.mailbox.to(accomplice.email)).slice(-1);
    expect(mail?.text.replaceAll('\u200b', '')).toContain(
      `It suspended ${org.admin.email} in the organization.`,
    );
  });

  it.each([
    ['lists a suspension beside the role that it gave the same member since', [], true],
    ['lists no suspension that it ended', [{ suspended: false }], false],
  ])('%s', async (_, since, isListed) => {
    const org = await signUpOrg(app);
    const victim = await joinByInvitation(app, org, Role.ORG_ADMIN);
    const member = await joinByInvitation(app, org, Role.MEMBER);
    for (const body of [{ suspended: true }, { role: Role.READONLY }, ...since])
      expect((await victim.patch(`/orgs/${org.id}/members/${member.id}`, body)).status).toBe(200);

    expect((await secure(await alarmTo(victim.email))).status).toBe(204);

    const [mail] = (await app.mailbox.to(org.admin.email)).slice(-1);
    const text = mail?.text.replaceAll('\u200b', '') ?? '';
    expect(text.includes(`It suspended ${member.email} in the organization.`)).toBe(isListed);
    expect(text).toContain(`It made ${member.email} a read-only member.`);
  });

  it('takes a suspended admin out of an organization that they joined lately: they keep nothing from harm', async () => {
    const org = await signUpOrg(app);
    const victim = await joinByInvitation(app, org, Role.ORG_ADMIN);
    await org.admin.patch(`/orgs/${org.id}/members/${victim.id}`, { suspended: true });
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [org.admin.id]);

    expect((await secure(await alarmTo(victim.email))).status).toBe(204);

    expect(await standing(victim.id)).toEqual({ org_id: null, role: 'member' });
  });

  it('takes back every pending invitation that would make an admin, however old it is', async () => {
    const org = await signUpOrg(app);
    await invite(app, org.admin, org.id, 'accomplice@example.com', Role.ORG_ADMIN);
    const ofOrg = 'WHERE org_id = $1 AND accepted_at IS NULL';
    await app.database.rows(`UPDATE invitations SET created_at = now() - interval '73 hours' ${ofOrg}`, [
      org.id,
    ]);

    expect((await secure(await alarmTo(org.admin.email))).status).toBe(204);

    const left = `SELECT revoked_at IS NULL AS "isOpen" FROM invitations ${ofOrg}`;
    expect(await app.database.rows(left, [org.id])).toEqual([{ isOpen: false }]);
  });

  it('lists what was left and renamed', async () => {
    const org = await signUpOrg(app);
    await org.admin.patch(`/orgs/${org.id}`, { name: 'Renamed' });
    const second = await joinByInvitation(app, org, Role.ORG_ADMIN);
    expect((await second.delete(`/orgs/${org.id}/members/${second.id}`)).status).toBe(204);

    for (const { email } of [org.admin, second]) await secure(await alarmTo(email));

    expect(await mailOf(org.admin.email)).toContain(
      'It renamed the organization that is now called “Renamed”',
    );
    expect(await mailOf(second.email)).toContain('It left the organization “Renamed”.');
  });

  it('ends a membership that began while it waited for the account', async () => {
    const org = await signUpOrg(app);
    const victim = await asMember(await loggedIn(app));
    const link = await invite(app, org.admin, org.id, victim.email);
    const token = await alarmTo(victim.email);
    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [victim.id]);
    const accepted = victim.post('/invitations/accept', { token: link });
    await held.untilWaiting(1);
    const secured = secure(token);
    await held.untilWaiting(2);
    await held.release();

    expect([(await accepted).status, (await secured).status]).toEqual([200, 204]);
    expect(await standing(victim.id)).toEqual({ org_id: null, role: 'member' });
  });

  it('goes on to the reset mail, after which the owner can be invited again', async () => {
    const org = await signUpOrg(app);
    const victim = await joined(org);
    await secure(await alarmTo(victim.email));

    const mails = (await app.mailbox.to(victim.email)).map(({ subject }) => subject);
    expect(mails.slice(-2)).toEqual([SECURED, 'Set a new password']);
    const reset = { token: await app.mailbox.token(victim.email), new_password: `${PASSWORD} again` };
    expect((await app.browser().post('/password/reset', reset)).status).toBe(204);
    const owner = await loggedIn(app, victim.email, `${PASSWORD} again`);
    const link = await invite(app, org.admin, org.id, victim.email);
    expect((await owner.post('/invitations/accept', { token: link })).status).toBe(200);
  });
});
