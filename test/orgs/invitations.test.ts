import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { Held } from '../support/lock-step.js';
import { foundOrg, invite, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await TestApp.start();
  org = await foundOrg(app);
  await aDayPasses(org.id);
});
afterAll(() => app.close());

const invitations = () => `/orgs/${org.id}/invitations`;
const preview = (token: string) => app.browser().post('/invitations/preview', { token });
const accept = (token: string, body: object = { password: PASSWORD }) =>
  app.browser().post('/invitations/accept', { token, ...body });
const aMinutePasses = (email: string) =>
  app.database.rows(`UPDATE invitations SET created_at = created_at - interval '1 minute' WHERE email = $1`, [
    email,
  ]);
const aDayPasses = (orgId: string) =>
  app.database.rows(`UPDATE organizations SET created_at = created_at - interval '1 day' WHERE id = $1`, [
    orgId,
  ]);

describe('POST /orgs/:org_id/invitations', () => {
  it('mails a link, and shows the invitation without its token', async () => {
    const email = freshAddress();

    const { status, body } = await org.admin.post(invitations(), {
      email: email.toUpperCase(),
      role: 'readonly',
    });

    expect(status).toBe(201);
    expect(body.invitation).toMatchObject({ org_id: org.id, email, role: 'readonly', status: 'pending' });
    const { created_at, expires_at } = body.invitation;
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(7 * 86_400_000);
    expect((await app.mailbox.last(email)).text).toContain('http://localhost:5173/accept-invitation?token=');
    expect(JSON.stringify(body)).not.toContain(await app.mailbox.token(email));
  });

  it('replaces the pending invitation of the address, whose link ends', async () => {
    const email = freshAddress();
    const first = await invite(app, org.admin, org.id, email, 'member');
    await aMinutePasses(email);
    const second = await invite(app, org.admin, org.id, email, 'readonly');

    expect((await preview(first)).body.code).toBe('InvalidToken');
    expect((await preview(second)).body.role).toBe('readonly');
    expect(await app.database.rows('SELECT 1 FROM invitations WHERE email = $1', [email])).toHaveLength(1);
  });

  it('mails an address no second time within a minute: the link already mailed stays valid', async () => {
    const email = freshAddress();
    const token = await invite(app, org.admin, org.id, email, 'member');

    const again = await org.admin.post(invitations(), { email, role: 'readonly' });
    const resent = await org.admin.post(`${invitations()}/${again.body.invitation.id}/resend`);

    expect(again).toMatchObject({
      status: 201,
      body: { invitation: { role: 'readonly', status: 'pending' } },
    });
    expect(resent.status).toBe(202);
    expect(await app.mailbox.to(email)).toHaveLength(1);
    expect((await preview(token)).body.role).toBe('readonly');
  });

  it('mails an address at once whose invitation was revoked, so that there is a valid link', async () => {
    const email = freshAddress();
    await invite(app, org.admin, org.id, email);
    const { body } = await org.admin.post(invitations(), { email, role: 'member' });
    await org.admin.delete(`${invitations()}/${body.invitation.id}`);

    expect((await preview(await invite(app, org.admin, org.id, email))).status).toBe(200);
    expect(await app.mailbox.to(email)).toHaveLength(2);
  });

  it('leaves one pending row when the same address is invited 8 times at once', async () => {
    const email = freshAddress();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => org.admin.post(invitations(), { email, role: 'member' })),
    );

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await app.database.rows('SELECT 1 FROM invitations WHERE email = $1', [email])).toHaveLength(1);
    expect(await app.mailbox.to(email)).toHaveLength(1);
  });

  it('refuses the address of a member, and the highest role', async () => {
    const already = await org.admin.post(invitations(), { email: org.member.email, role: 'member' });
    expect(already).toMatchObject({ status: 409, body: { code: 'AlreadyMember' } });

    const highest = await org.admin.post(invitations(), { email: freshAddress(), role: 'sys_admin' });
    expect(highest).toMatchObject({ status: 400, body: { errors: [{ field: 'role' }] } });
  });

  it.each([
    'Analytical\r\nBcc: eve@evil.example',
    '<a href="https://evil.example">click</a>',
    '{{token}} <%= token %>',
    'https://evil.example/login',
    'evil.example',
  ])('takes %j for a mere name, if for anything', async (name) => {
    const renamed = await org.admin.patch(`/orgs/${org.id}`, { name });
    const email = freshAddress();
    await invite(app, org.admin, org.id, email);

    expect(renamed.status).toBe(/\p{Cc}/u.test(name) ? 400 : 200);
    const { subject, text } = await app.mailbox.last(email);
    expect(subject).toBe('You are invited to Latchkey');
    expect(subject + text.replace(/http:\/\/localhost:5173\S*/, '')).not.toMatch(/https?:\/\/|evil\.example/);
  });

  it('stops at 50 pending invitations and at 100 mails a day', async () => {
    const { id, admin } = await foundOrg(app);
    const another = () => admin.post(`/orgs/${id}/invitations`, { email: freshAddress(), role: 'member' });
    await aDayPasses(id);
    await app.database.rows(
      `INSERT INTO invitations (id, org_id, email, role, token_hash, expires_at)
       SELECT gen_random_uuid(), $1, 'guest-' || n, 'member', sha256(random()::text::bytea), now() + interval '1 day'
         FROM generate_series(1, 49) n`,
      [id],
    );
    // One that has ended, for its inviter is gone, does not count.
    await app.database.rows(
      `INSERT INTO invitations (id, org_id, email, role, token_hash, expires_at)
       VALUES (gen_random_uuid(), $1, 'admin', 'org_admin', sha256('of an admin'), now() + interval '1 day')`,
      [id],
    );
    const last = { email: freshAddress(), role: 'member' };
    expect((await admin.post(`/orgs/${id}/invitations`, last)).status).toBe(201);
    await aMinutePasses(last.email);
    expect((await admin.post(`/orgs/${id}/invitations`, last)).status).toBe(201);
    await aMinutePasses(last.email);
    expect(await another()).toMatchObject({ status: 429, body: { code: 'TooManyRequests' } });

    await app.database.rows(
      `INSERT INTO invitation_mails (id, org_id, expires_at)
       SELECT gen_random_uuid(), $1, now() + interval '1 hour' FROM generate_series(1, 98)`,
      [id],
    );
    const open = await app.database.value('SELECT id FROM invitations WHERE email = $1', [last.email]);
    expect((await admin.post(`/orgs/${id}/invitations/${open}/resend`)).body.code).toBe('TooManyRequests');

    await app.database.rows('DELETE FROM invitations WHERE org_id = $1', [id]);
    const refused = await another();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3500);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3600);
    expect(await app.database.rows('SELECT 1 FROM invitations WHERE org_id = $1', [id])).toEqual([]);
  });

  it('stops at 20 mails in the first day of an organization', async () => {
    const { id, admin } = await foundOrg(app);
    const another = () => admin.post(`/orgs/${id}/invitations`, { email: freshAddress(), role: 'member' });
    await app.database.rows(
      `INSERT INTO invitation_mails (id, org_id, expires_at)
       SELECT gen_random_uuid(), $1, now() + interval '1 day' FROM generate_series(1, 19) n`,
      [id],
    );

    expect((await another()).status).toBe(201);
    const refused = await another();
    expect(refused).toMatchObject({ status: 429, body: { code: 'TooManyRequests' } });
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(86_400);

    await aDayPasses(id);
    expect((await another()).status).toBe(201);
  });

  it('makes none when the inviter loses the role while the invitation waits for their row', async () => {
    const [{ id, admin }, email] = [await foundOrg(app), freshAddress()];
    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [admin.id]);
    const late = admin.post(`/orgs/${id}/invitations`, { email, role: 'member' });
    await held.untilWaiting(1);
    await held.run(`UPDATE memberships SET role = 'member' WHERE user_id = '${admin.id}'`);
    await held.release();

    expect(await late).toMatchObject({ status: 403, body: { code: 'InsufficientRole' } });
    expect(await app.database.rows('SELECT 1 FROM invitations WHERE email = $1', [email])).toEqual([]);
  });

  it('makes no admin of a member who was just invited without a recent proof', async () => {
    const [{ id, admin }, email] = [await foundOrg(app), freshAddress()];
    const token = await invite(app, admin, id, email, 'member');
    await app.database.rows(
      `UPDATE sessions SET authenticated_at = now() - interval '11 minutes' WHERE user_id = $1`,
      [admin.id],
    );

    const raised = await admin.post(`/orgs/${id}/invitations`, { email, role: 'org_admin' });

    expect(raised).toMatchObject({ status: 403, body: { code: 'StepUpRequired' } });
    expect((await preview(token)).body.role).toBe('member');
  });

  it('asks the admin to wait no longer than the day, also when the request waited for the last mail to be sent', async () => {
    const { id, admin } = await foundOrg(app);
    const held = await Held.by(app.database, 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', [id]);
    const refused = admin.post(`/orgs/${id}/invitations`, { email: freshAddress(), role: 'member' });
    await held.untilWaiting(1);
    await app.database.rows('DELETE FROM invitation_mails WHERE org_id = $1', [id]);
    await held.run(
      `INSERT INTO invitation_mails (id, org_id, expires_at)
       SELECT gen_random_uuid(), '${id}', clock_timestamp() + interval '1 day' FROM generate_series(1, 20)`,
    );
    await held.release();

    expect((await refused).headers['retry-after']).toBe('86400');
  });
});

describe('GET /orgs/:org_id/invitations', () => {
  it('lists each invitation with its status', async () => {
    const { id, admin } = await foundOrg(app);
    const [pending, revoked, expired, accepted] = [
      freshAddress(),
      freshAddress(),
      freshAddress(),
      freshAddress(),
    ];
    for (const email of [pending, revoked, expired, accepted]) await invite(app, admin, id, email);
    expect((await accept(await app.mailbox.token(accepted))).status).toBe(201);
    await app.browser().post('/invitations/decline', { token: await app.mailbox.token(revoked) });
    await app.database.rows('UPDATE invitations SET expires_at = now() WHERE email = $1', [expired]);

    const list = async (query: string) =>
      (await admin.get(`/orgs/${id}/invitations${query}`)).body.data.map(
        ({ email }: { email: string }) => email,
      );

    expect(await list('?status=pending')).toEqual([pending]);
    expect(await list('?status=revoked')).toEqual([revoked]);
    expect(await list('?status=expired')).toEqual([expired]);
    expect(await list('?status=accepted')).toEqual([accepted]);
    expect(await list('')).toHaveLength(4);
    expect((await admin.get(`/orgs/${id}/invitations?status=lost`)).body.errors[0].field).toBe('status');
  });
});

describe('an invitation that an admin revokes or sends again', () => {
  it('ends with DELETE', async () => {
    const email = freshAddress();
    const { body } = await org.admin.post(invitations(), { email, role: 'member' });
    const path = `${invitations()}/${body.invitation.id}`;

    expect((await org.admin.delete(path)).status).toBe(204);
    expect((await org.admin.delete(path)).status).toBe(404);
    expect((await accept(await app.mailbox.token(email))).body.code).toBe('InvalidToken');
    expect((await org.admin.post(`${path}/resend`)).status).toBe(404);
  });

  it('has a fresh link after /resend, also when it had expired, and the earlier link ends', async () => {
    const email = freshAddress();
    const first = await invite(app, org.admin, org.id, email);
    await aMinutePasses(email);
    await app.database.rows('UPDATE invitations SET expires_at = now() WHERE email = $1', [email]);
    const [{ id }] = await app.database.rows('SELECT id FROM invitations WHERE email = $1', [email]);

    expect((await org.admin.post(`${invitations()}/${id}/resend`)).status).toBe(202);

    expect((await preview(first)).body.code).toBe('InvalidToken');
    expect((await preview(await app.mailbox.token(email))).status).toBe(200);
    expect((await org.admin.delete(`${invitations()}/${id}`)).status).toBe(204);
  });
});

describe('POST /orgs/:org_id/invitations/many', () => {
  const sentOf = (orgId: string) =>
    app.database.value(
      `SELECT count(*)::int FROM audit_events WHERE org_id = $1 AND type = 'invitation.sent'`,
      [orgId],
    );

  it('invites each address by itself, and says of each what became of it', async () => {
    const { id, admin, member } = await foundOrg(app);
    const before = await sentOf(id);
    const [one, other] = [freshAddress(), freshAddress()];

    const { status, body } = await admin.post(`/orgs/${id}/invitations/many`, {
      emails: [one, 'no address', ` ${other.toUpperCase()} `, member.email, one],
      role: 'readonly',
    });

    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      { email: one, invitation: { email: one, role: 'readonly', status: 'pending' }, problem: null },
      { email: 'no address', invitation: null, problem: { code: 'ValidationFailed' } },
      { email: other, invitation: { email: other } },
      { email: member.email, invitation: null, problem: { code: 'AlreadyMember' } },
      { email: one, invitation: { email: one } },
    ]);
    expect(await app.mailbox.token(one)).not.toBe(await app.mailbox.token(other));
    expect(await sentOf(id)).toBe(before + 3);
    expect((await admin.get(`/orgs/${id}/invitations?status=pending`)).body.data).toHaveLength(2);
  });

  it('invites as many as the organization may have, and refuses the rest one by one', async () => {
    const { id, admin } = await foundOrg(app);
    const emails = Array.from({ length: 100 }, freshAddress);

    const { body } = await admin.post(`/orgs/${id}/invitations/many`, { emails, role: 'member' });

    const invited = body.data.filter(({ invitation }: { invitation: object | null }) => invitation !== null);
    // A new organization sends 20 mails a day.
    expect(invited).toHaveLength(20);
    expect(body.data[20]).toMatchObject({ problem: { code: 'TooManyRequests' } });
  });

  it.each([
    ['101 addresses', { emails: Array.from({ length: 101 }, (_, n) => `n${n}@example.com`) }],
    ['no address', { emails: [] }],
    ['a text', { emails: 'ada@example.com' }],
    ['what is no text', { emails: [1] }],
  ])('refuses %s, and changes nothing', async (_, body) => {
    const { id, admin } = await foundOrg(app);
    const before = await sentOf(id);

    expect(await admin.post(`/orgs/${id}/invitations/many`, { ...body, role: 'member' })).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed', errors: [{ field: 'emails' }] },
    });
    expect(await sentOf(id)).toBe(before);
  });

  it('asks once for a proof, before it invites any admin, and is for the own organization alone', async () => {
    const [{ id, admin }, others] = [await foundOrg(app), await foundOrg(app)];
    await app.database.rows(
      `UPDATE sessions SET authenticated_at = now() - interval '11 minutes' WHERE user_id = $1`,
      [admin.id],
    );
    const before = await sentOf(id);
    const body = { emails: [freshAddress(), freshAddress()], role: 'org_admin' };

    expect(await admin.post(`/orgs/${id}/invitations/many`, body)).toMatchObject({
      status: 403,
      body: { code: 'StepUpRequired' },
    });
    expect(await sentOf(id)).toBe(before);
    expect((await admin.post(`/orgs/${others.id}/invitations/many`, body)).status).toBe(404);
  });

  it('takes a point of the inviter for each address', async () => {
    const limited = await TestApp.start({ SVC_RATE_LIMITS: 'on', SVC_LIMIT_INVITE_PER_USER: '2/1h' });
    const { id, admin } = await foundOrg(limited);
    const emails = Array.from({ length: 3 }, freshAddress);

    const { body } = await admin.post(`/orgs/${id}/invitations/many`, { emails, role: 'member' });

    expect(body.data.map(({ problem }: { problem: { code: string } | null }) => problem?.code)).toEqual([
      undefined,
      undefined,
      'TooManyRequests',
    ]);
    await limited.close();
  });
});
