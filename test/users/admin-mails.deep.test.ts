import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import { Role } from '../../src/http/role.js';
import { freshAddress, giveRole, loggedIn, loggedInAs, PASSWORD, verified } from '../support/accounts.js';
import { eventsAfter, linked } from '../support/audit.js';
import { callCommand } from '../support/command-line.js';
import type { IdentityProvider } from '../support/identity-provider.js';
import { loginThrough, startWithProvider } from '../support/identity-provider.js';
import { tokenIn } from '../support/mails.js';
import { asMember, invite, joinByInvitation, type Member, signUpOrg } from '../support/orgs.js';
import type { TestApp } from '../support/test-app.js';

const RAISED = 'You are now an administrator';
const ADDED = 'There is a new administrator';
const SECURED = 'An administrator’s account was secured';

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider());
});
afterAll(() => stop());

/** The mails with a subject to an address, without the breaks in the addresses they name. */
async function mailed(email: string, subject: string): Promise<string[]> {
  const mails = await app.mailbox.to(email);
  return mails.filter((mail) => mail.subject === subject).map(({ text }) => text.replaceAll('\u200b', ''));
}

const bystanders = async () => ({
  systemAdmin: await loggedInAs(app, 'sys_admin'),
  disabled: await disabledSystemAdmin(),
});

async function disabledSystemAdmin(): Promise<Member> {
  const admin = await loggedInAs(app, 'sys_admin');
  await app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [admin.id]);
  return admin;
}

/** Demotes all system admins, so that a test knows which ones there are. */
const dismissAll = () =>
  app.database.rows(`UPDATE users SET own_role = 'member' WHERE own_role = 'sys_admin'`);

describe('a role that rises to that of an admin', () => {
  it('is reported to the user and to the other admins of the organization, when a member gets it', async () => {
    const org = await signUpOrg(app, 'Initech');
    const other = await joinByInvitation(app, org, Role.MEMBER);
    const second = await joinByInvitation(app, org, Role.ORG_ADMIN);

    const { status } = await org.admin.patch(`/orgs/${org.id}/members/${other.id}`, { role: 'org_admin' });

    expect(status).toBe(200);
    const [raised] = await mailed(other.email, RAISED);
    expect(raised).toContain('administrator of the organization “Initech”');
    for (const admin of [org.admin, second]) {
      const news = await mailed(admin.email, ADDED);
      expect(news.at(-1)).toContain(`${other.email} is now an administrator of the organization “Initech”`);
    }
    expect(await mailed(other.email, ADDED)).toEqual([]);
    expect(await mailed(org.member.email, ADDED)).toEqual([]);
  });

  it('is reported to the other system admins, and not to one who is disabled', async () => {
    await dismissAll();
    const [{ systemAdmin, disabled }, user] = [await bystanders(), await asMember(await loggedIn(app))];
    const second = await loggedInAs(app, 'sys_admin');

    expect((await systemAdmin.patch(`/users/${user.id}`, { role: 'sys_admin' })).status).toBe(200);

    expect((await mailed(user.email, RAISED))[0]).toContain('administrator of Latchkey.');
    for (const { email } of [systemAdmin, second])
      expect((await mailed(email, ADDED))[0]).toContain(`${user.email} is now an administrator of Latchkey`);
    expect(await mailed(disabled.email, ADDED)).toEqual([]);
  });

  it('is reported to the admins of the organization when a system admin gives it', async () => {
    const [org, systemAdmin] = [await signUpOrg(app), await loggedInAs(app, 'sys_admin')];

    await systemAdmin.patch(`/users/${org.member.id}`, { role: 'org_admin' });

    expect(await mailed(org.member.email, RAISED)).toHaveLength(1);
    expect(await mailed(org.admin.email, ADDED)).toHaveLength(1);
    expect(await mailed(systemAdmin.email, ADDED)).toEqual([]);
  });

  it('is reported when an account accepts an invitation as an admin', async () => {
    const [org, invited] = [await signUpOrg(app), await loggedIn(app)];
    const token = await invite(app, org.admin, org.id, invited.email, Role.ORG_ADMIN);

    expect((await invited.post('/invitations/accept', { token })).status).toBe(200);

    const [joined] = await mailed(invited.email, 'Your account joined an organization');
    expect(joined).toContain('as an administrator of the organization');
    expect((await mailed(org.admin.email, ADDED))[0]).toContain(invited.email);
  });

  it('is reported when a person accepts an invitation as an admin through the provider', async () => {
    const [org, email] = [await signUpOrg(app), freshAddress()];
    const token = await invite(app, org.admin, org.id, email, Role.ORG_ADMIN);

    await loginThrough(
      provider,
      app.browser(),
      { sub: email, email, email_verified: true },
      `?invitation_token=${token}`,
    );

    expect((await mailed(org.admin.email, ADDED))[0]).toContain(email);
  });

  it('is reported when the command line gives it to an account', async () => {
    await dismissAll();
    const [systemAdmin, email] = [await loggedInAs(app, 'sys_admin'), await verified(app)];

    await callCommand(app, ['create-admin', email]);
    await callCommand(app, ['create-admin', email]);

    expect(await mailed(email, RAISED)).toHaveLength(1);
    expect((await mailed(systemAdmin.email, ADDED))[0]).toContain(email);
  });

  it('is reported to the others when the command line makes the account, whose own mail has the link', async () => {
    await dismissAll();
    const [systemAdmin, email] = [await loggedInAs(app, 'sys_admin'), freshAddress()];

    await callCommand(app, ['create-admin', email]);

    expect(await mailed(email, RAISED)).toEqual([]);
    expect(await mailed(email, 'You are an administrator of Latchkey')).toHaveLength(1);
    expect(await mailed(systemAdmin.email, ADDED)).toHaveLength(1);
  });

  it.each([
    ['stays', 'org_admin', 'org_admin'],
    ['falls to that of a lower admin', 'sys_admin', 'org_admin'],
    ['rises among those who are no admins', 'readonly', 'member'],
  ])('is not reported when it %s', async (_, from, to) => {
    const [org, systemAdmin] = [await signUpOrg(app), await loggedInAs(app, 'sys_admin')];
    await giveRole(app.database, org.member.id, from);

    expect((await systemAdmin.patch(`/users/${org.member.id}`, { role: to })).status).toBe(200);

    expect(await mailed(org.member.email, RAISED)).toEqual([]);
    expect(await mailed(org.admin.email, ADDED)).toEqual([]);
  });
});

describe('the account of an admin that its owner secures', () => {
  /** Follows the link that the service mails to the owner after a login from a new browser. */
  async function secure({ email }: { email: string }): Promise<number> {
    await loggedIn(app, email);
    const alarms = (await app.mailbox.to(email)).filter(({ text }) =>
      text.includes('/secure-account?token='),
    );
    const token = tokenIn(alarms.at(-1)?.text ?? '');
    return (await app.browser().post('/auth/secure-account', { token })).status;
  }

  const statusOf = (token: string) => app.browser().post('/invitations/preview', { token });

  it('has its invitations of the last 72 hours revoked, and each is recorded', async () => {
    const org = await signUpOrg(app);
    const second = await joinByInvitation(app, org, Role.ORG_ADMIN);
    const [recent, old, foreign] = [
      await invite(app, org.admin, org.id, freshAddress()),
      await invite(app, org.admin, org.id, freshAddress()),
      await invite(app, second, org.id, freshAddress()),
    ];
    await app.database.rows(
      `UPDATE invitations SET created_at = now() - interval '73 hours' WHERE token_hash = sha256($1)`,
      [old],
    );

    const events = await eventsAfter(app, async () => expect(await secure(org.admin)).toBe(204));

    expect((await statusOf(recent)).body.code).toBe('InvalidToken');
    for (const token of [old, foreign]) expect((await statusOf(token)).status).toBe(200);
    const revoked = events.filter(({ type }) => type === 'invitation.revoked');
    expect(revoked).toMatchObject([{ actor_id: null, org_id: org.id }]);
  });

  it('has the invitations of a system admin to any organization revoked', async () => {
    const [one, other, admin] = [
      await signUpOrg(app),
      await signUpOrg(app),
      await asMember(await loggedInAs(app, 'sys_admin')),
    ];
    const tokens = [
      await invite(app, admin, one.id, freshAddress(), Role.ORG_ADMIN),
      await invite(app, admin, other.id, freshAddress(), Role.ORG_ADMIN),
    ];
    await loggedInAs(app, 'sys_admin');

    expect(await secure(admin)).toBe(204);

    for (const token of tokens) expect((await statusOf(token)).body.code).toBe('InvalidToken');
  });

  it('is reported to the other admins, with the roles it granted in the last 72 hours', async () => {
    const org = await signUpOrg(app);
    const second = await joinByInvitation(app, org, Role.ORG_ADMIN);
    const removed = await joinByInvitation(app, org, Role.MEMBER);
    const members = `/orgs/${org.id}/members`;
    await org.admin.patch(`${members}/${org.readonly.id}`, { role: 'member' });
    await linked(app);
    await app.database.rows(
      `UPDATE audit_events SET created_at = now() - interval '73 hours' WHERE user_id = $1 AND type = 'role.changed'`,
      [org.readonly.id],
    );
    await org.admin.patch(`${members}/${org.member.id}`, { role: 'org_admin' });
    await org.admin.delete(`${members}/${removed.id}`);
    await app.database.rows(
      `UPDATE invitations SET accepted_at = now() - interval '73 hours' WHERE email = ANY($1)`,
      [[org.member.email, org.readonly.email, removed.email]],
    );

    expect(await secure(org.admin)).toBe(204);

    const [news] = await mailed(second.email, SECURED);
    expect(news).toContain(`account of ${org.admin.email}`);
    expect(news).toContain(`It made ${org.member.email} an administrator of the organization.`);
    expect(news).toContain(`It made ${second.email} an administrator of the organization.`);
    expect(news).toContain(`It removed ${removed.email} from the organization.`);
    expect(news).not.toContain(org.readonly.email);
    expect(await mailed(org.readonly.email, SECURED)).toEqual([]);
    expect(await mailed(org.admin.email, SECURED)).toEqual([]);
  });

  it('is reported to those who lost their role or their membership by it, though no admin is left', async () => {
    const org = await signUpOrg(app);
    const [second, third] = [
      await joinByInvitation(app, org, Role.ORG_ADMIN),
      await joinByInvitation(app, org, Role.ORG_ADMIN),
    ];
    const members = `/orgs/${org.id}/members`;
    expect((await org.admin.patch(`${members}/${second.id}`, { role: 'readonly' })).status).toBe(200);
    expect((await org.admin.delete(`${members}/${third.id}`)).status).toBe(204);

    expect(await secure(org.admin)).toBe(204);

    const [demoted] = await mailed(second.email, SECURED);
    expect(demoted).toContain(`account of ${org.admin.email}`);
    expect(demoted).toContain(`It made ${second.email} a read-only member.`);
    expect(demoted).not.toContain(third.email);
    expect((await mailed(third.email, SECURED))[0]).toContain(
      `It removed ${third.email} from the organization.`,
    );
    const [owner] = await mailed(org.admin.email, 'Your account was secured');
    for (const { email } of [second, third]) expect(owner).toContain(email);
  });

  it('is reported to the admins of an organization that it has left, after it demoted one of them', async () => {
    const org = await signUpOrg(app);
    const [second, third] = [
      await joinByInvitation(app, org, Role.ORG_ADMIN),
      await joinByInvitation(app, org, Role.ORG_ADMIN),
    ];
    await org.admin.patch(`/orgs/${org.id}/members/${second.id}`, { role: 'readonly' });
    expect((await org.admin.delete(`/orgs/${org.id}/members/${org.admin.id}`)).status).toBe(204);

    expect(await secure(org.admin)).toBe(204);

    expect((await mailed(third.email, SECURED))[0]).toContain(`It made ${second.email} a read-only member.`);
  });

  it('names those who lost the role of an admin before the many others whose role it changed since', async () => {
    const org = await signUpOrg(app);
    const second = await joinByInvitation(app, org, Role.ORG_ADMIN);
    await org.admin.patch(`/orgs/${org.id}/members/${second.id}`, { role: 'readonly' });
    const crowded = `INSERT INTO audit_events (id, type, actor_id, user_id, org_id, chain_id, details)
      SELECT $3::uuid, 'role.changed', $1, $4, $2, $2, '{"from": "readonly", "to": "member"}' `;
    for (let act = 0; act < 25; act++)
      await app.database.rows(crowded, [org.admin.id, org.id, uuidv7(), uuidv7()]);
    await app.database.rows(crowded, [org.admin.id, org.id, uuidv7(), org.member.id]);

    expect(await secure(org.admin)).toBe(204);

    const [owner] = await mailed(org.admin.email, 'Your account was secured');
    expect(owner).toContain(`It made ${second.email} a read-only member.`);
    expect(owner).toContain('There are at least');
    expect(await mailed(second.email, SECURED)).toHaveLength(1);
    expect(await mailed(org.member.email, SECURED)).toHaveLength(1);
  });

  it('names a removed admin, though it changed the role of one member more often than the mail has room for', async () => {
    const org = await signUpOrg(app);
    const second = await joinByInvitation(app, org, Role.ORG_ADMIN);
    expect((await org.admin.delete(`/orgs/${org.id}/members/${second.id}`)).status).toBe(204);
    await app.database.rows(
      `INSERT INTO audit_events (id, type, actor_id, user_id, org_id, chain_id, details)
       SELECT id, 'role.changed', $1, $3, $2, $2, '{"from": "org_admin", "to": "member"}' FROM unnest($4::uuid[]) AS id`,
      [org.admin.id, org.id, org.member.id, Array.from({ length: 120 }, () => uuidv7())],
    );

    expect(await secure(org.admin)).toBe(204);

    const [owner] = await mailed(org.admin.email, 'Your account was secured');
    expect(owner).toContain(`It removed ${second.email} from the organization.`);
    expect(owner).not.toContain('There are at least');
    expect(await mailed(second.email, SECURED)).toHaveLength(1);
  });

  it('is reported once to an admin of two of its organizations, with what it did in each, however much in one', async () => {
    const [a, b] = [await signUpOrg(app), await signUpOrg(app)];
    const peer = await joinByInvitation(app, a, Role.ORG_ADMIN);
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by)
       SELECT unnest($1::uuid[]), $2, 'org_admin', 'invitation'`,
      [[peer.id, a.admin.id], b.id],
    );
    const done = `INSERT INTO audit_events (id, type, actor_id, user_id, org_id, chain_id, details)
      SELECT id, 'role.changed', $1, user_id, $2, $2, '{"from": "org_admin", "to": "readonly"}'
        FROM unnest($3::uuid[], $4::uuid[]) AS acts (id, user_id)`;
    await app.database.rows(done, [a.admin.id, b.id, [uuidv7()], [b.member.id]]);
    const many = () => Array.from({ length: 110 }, () => uuidv7());
    await app.database.rows(done, [a.admin.id, a.id, many(), [...many().slice(1), a.member.id]]);

    expect(await secure(a.admin)).toBe(204);

    const reports = await mailed(peer.email, SECURED);
    expect(reports).toHaveLength(1);
    expect(reports[0]).toContain(`It made ${a.member.email} a read-only member.`);
    const [ofB] = await mailed(b.admin.email, SECURED);
    expect(ofB).toContain(`It made ${b.member.email} a read-only member.`);
    expect(ofB).not.toContain(a.member.email);
    expect(await mailed(b.member.email, SECURED)).toHaveLength(1);
  });

  it('is reported as one that changed no role, when it changed none', async () => {
    await dismissAll();
    const [admin, peer] = [await loggedInAs(app, 'sys_admin'), await loggedInAs(app, 'sys_admin')];

    expect(await secure(admin)).toBe(204);

    expect((await mailed(peer.email, SECURED))[0]).toContain('the account changed no roles');
  });

  it('is reported to no admin when it is the account of a member', async () => {
    const org = await signUpOrg(app);

    expect(await secure(org.member)).toBe(204);

    expect(await mailed(org.admin.email, SECURED)).toEqual([]);
  });

  it('does not deadlock with an admin who invites to the same organization', async () => {
    const org = await signUpOrg(app);
    const second = await joinByInvitation(app, org, Role.ORG_ADMIN);
    await invite(app, org.admin, org.id, freshAddress());

    const [status, ...answers] = await Promise.all([
      secure(org.admin),
      ...Array.from({ length: 8 }, () =>
        second.post(`/orgs/${org.id}/invitations`, { email: freshAddress(), role: 'member' }),
      ),
    ]);

    expect([status, ...answers.map((answer) => answer.status)]).toEqual([204, ...Array(8).fill(201)]);
  });
});

describe('an identity that is unlinked', () => {
  it('is reported to the owner, with the link to secure the account', async () => {
    const email = await verified(app, { password: PASSWORD });
    const browser = app.browser();
    await loginThrough(provider, browser, { sub: freshAddress(), email, email_verified: true });
    const { id } = (await browser.get('/users/me/identities')).body.data[0];

    expect((await browser.delete(`/users/me/identities/${id}`)).status).toBe(204);

    const mail = await app.mailbox.last(email);
    expect(mail.subject).toBe('A way to log in to your account was removed');
    expect((await app.browser().post('/auth/secure-account', { token: tokenIn(mail.text) })).status).toBe(
      204,
    );
  });
});
