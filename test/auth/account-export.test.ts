import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import { Role } from '../../src/http/role.js';
import { freshAddress, loggedIn, loggedInAs, PASSWORD, verified } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import { addApp, ageProof } from '../support/authenticator-app.js';
import type { Browser } from '../support/browser.js';
import { type IdentityProvider, loginThrough, startWithProvider } from '../support/identity-provider.js';
import { foundOrg, invite, joinOrg } from '../support/orgs.js';
import { PasskeyOwner } from '../support/passkeys.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const EXPORT = '/users/me/export';

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
let port: number;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider({ SVC_DATABASE_POOL_SIZE: '5' }));
  port = await app.listen();
});
afterAll(() => stop());

const idOf = (email: string) => app.database.value('SELECT id FROM users WHERE email = $1', [email]);
const namesOf = (rows: object[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))];

/** Gives a user so many events that no socket holds the copy of them. */
const addEvents = (userId: string, count = 20_000) =>
  app.database.rows(
    `INSERT INTO audit_events (id, type, actor_id, user_id, chain_id, user_agent)
     SELECT uuid(lpad(to_hex(n), 8, '0') || right($1::text, 28)), 'login.failed', $1::uuid, $1::uuid,
            '00000000-0000-0000-0000-000000000000', repeat('x', 500)
       FROM generate_series(1, $2::int) n`,
    [userId, count],
  );

/** A copy over a connection of its own, of which nothing more is read until the test reads on. */
async function slowly({ jar }: Browser): Promise<{ answer: IncomingMessage; rest: () => Promise<string> }> {
  const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get({ port, host: '127.0.0.1', path: EXPORT, headers: { cookie } }, resolve).on('error', reject),
  );
  const rest = async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  return { answer, rest };
}

/** How many transactions of the service wait for their reader. */
const lent = () =>
  app.database.value(
    `SELECT count(*)::int FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'latchkey' AND state = 'idle in transaction'`,
  );

describe('GET /users/me/export', () => {
  it('is a file with everything about the caller', async () => {
    const owner = await PasskeyOwner.in(app);
    const { browser, id, email } = owner;
    await addApp(app, owner);
    await app.database.rows(
      `INSERT INTO identities (id, user_id, provider, subject, email) VALUES (gen_random_uuid(), $1, 'https://idp.example', 'ada', $2)`,
      [id, email],
    );
    const { id: orgId } = await foundOrg(app, 'Engines of London');
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'member', 'invitation')`,
      [id, orgId],
    );

    const { status, headers, body } = await browser.get(EXPORT);

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="account.json"',
      'cache-control': 'no-store',
    });
    expect(body).toMatchObject({
      user: { id, email, own_role: 'member' },
      last_login: { logged_in_at: expect.any(String) },
      sessions: [{ auth_method: 'password', aal: 2, raised_by: 'totp' }],
      known_devices: [{}],
      identities: [{ provider: 'https://idp.example', subject: 'ada', email }],
      passkeys: [{ name: expect.any(String), backed_up: expect.any(Boolean) }],
      authenticator_app: { confirmed_at: expect.any(String) },
      memberships: [{ org_id: orgId, org_name: 'Engines of London', role: 'member' }],
      billing_customer: null,
    });
    expect(body.recovery_codes).toHaveLength(10);
    expect(body.mails.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(['passkey-added', 'second-step-on', 'account-exported']),
    );
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;
    expect(body.passkeys[0].credential_id).toBe(passkey.credential_id);
    const { data } = (await browser.get('/audit-events?limit=100')).body;
    expect(body.audit_events.map(({ id }: { id: string }) => id)).toEqual(
      data.map(({ id }: { id: string }) => id),
    );
  });

  it('has no secret of any table', async () => {
    const owner = await PasskeyOwner.in(app);
    const { browser, id, email } = owner;
    const { app: authenticatorApp, recoveryCodes } = await addApp(app, owner);
    await app.browser().post('/password/forgot', { email });
    await until(() =>
      app.database.value(
        `SELECT EXISTS (SELECT FROM one_time_tokens WHERE user_id = $1 AND purpose = 'reset-password')`,
        [id],
      ),
    );
    const secrets = await app.database.rows(
      `SELECT token_hash AS secret FROM sessions WHERE user_id = $1
        UNION ALL SELECT former_token_hash FROM sessions WHERE user_id = $1
        UNION ALL SELECT token_hash FROM known_devices WHERE user_id = $1
        UNION ALL SELECT token_hash FROM one_time_tokens WHERE user_id = $1
        UNION ALL SELECT secret FROM totp_factors WHERE user_id = $1
        UNION ALL SELECT code_hash FROM recovery_codes WHERE user_id = $1
        UNION ALL SELECT content FROM outbox_mails WHERE recipient = $2
        UNION ALL SELECT convert_to(password_hash, 'UTF8') FROM users WHERE id = $1`,
      [id, email],
    );
    const hash = await app.database.value('SELECT password_hash FROM users WHERE id = $1', [id]);
    const cookies = [...browser.jar.values()];

    const { text } = await browser.get(EXPORT);

    const encoded = secrets
      .map(({ secret }) => secret as Buffer | null)
      .filter((secret) => secret !== null)
      .flatMap((secret) => (['hex', 'base64', 'base64url'] as const).map((form) => secret.toString(form)));
    expect(encoded.length).toBeGreaterThanOrEqual(48);
    for (const secret of [...encoded, ...cookies, ...recoveryCodes, authenticatorApp.secret, hash, PASSWORD])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
  });

  it('has nothing of other people', async () => {
    const org = await foundOrg(app);
    const { member, admin } = org;
    const joined = await joinOrg(app, org, Role.MEMBER);
    const guest = freshAddress();
    await invite(app, admin, org.id, guest);
    await app.database.rows('UPDATE invitations SET invited_by = $1 WHERE email = $2', [member.id, guest]);
    await invite(app, admin, org.id, `other+${guest}`);
    await app.database.rows(`UPDATE invitations SET email = $1, accepted_at = now() WHERE email = $2`, [
      member.email,
      `other+${guest}`,
    ]);
    await admin.patch(`/orgs/${org.id}/members/${member.id}`, { role: 'readonly' });
    await app.database.rows(
      `INSERT INTO audit_events (id, type, actor_id, user_id, org_id, chain_id, ip, user_agent)
       VALUES ($4, 'account.disabled', $1, $2, $3, $3, '192.0.2.99', 'an agent of an admin')`,
      [admin.id, member.id, org.id, uuidv7()],
    );

    const { body, text } = await member.get(EXPORT);

    for (const { email } of [admin, joined, org.readonly, { email: guest }])
      expect([email, text.includes(email)]).toEqual([email, false]);
    expect(text).not.toContain('192.0.2.99');
    expect(text).not.toContain('an agent of an admin');
    expect(body.invitations_received).toMatchObject([{ email: member.email, org_name: 'Analytical' }]);
    expect(namesOf(body.invitations_received)).not.toContain('invited_by');
    expect(body.invitations_sent).toMatchObject([{ org_id: org.id, role: 'member' }]);
    expect(namesOf(body.invitations_sent)).toEqual([
      'id',
      'org_id',
      'role',
      'role_id',
      'created_at',
      'expires_at',
    ]);
    expect(body.audit_events).toContainEqual(
      expect.objectContaining({ type: 'role.changed', actor_id: admin.id, actor_email: null, ip: null }),
    );
  });

  it('names nobody else to a SYSTEM_ADMIN either', async () => {
    const [root, other] = [await loggedInAs(app, 'sys_admin'), await verified(app)];
    await root.patch(`/users/${await idOf(other)}`, { name: 'Ada' });

    const { body, text } = await root.get(EXPORT);

    expect(text).not.toContain(other);
    expect(body.audit_events).toContainEqual(
      expect.objectContaining({ type: 'account.updated', actor_email: root.email, user_email: null }),
    );
  });

  it('has what was sent to the address only once that is verified', async () => {
    const org = await foundOrg(app);
    const email = freshAddress();
    await invite(app, org.admin, org.id, email);
    const browser = await loggedIn(app, await verified(app, { email }));
    const sent = async () => {
      const { invitations_received, mails } = (await browser.get(EXPORT)).body;
      return [invitations_received.length, mails.some(({ kind }: { kind: string }) => kind === 'invitation')];
    };

    expect(await sent()).toEqual([1, false]);
    await app.database.rows(`UPDATE users SET email_verified_at = '2020-01-01' WHERE email = $1`, [email]);
    expect(await sent()).toEqual([1, true]);
    await app.database.rows('UPDATE users SET email_verified_at = NULL WHERE email = $1', [email]);
    expect(await sent()).toEqual([0, false]);
  });

  it('is recorded, and the owner is told', async () => {
    const browser = await loggedIn(app);
    const id = await idOf(browser.email);

    expect(await eventsAfter(app, () => browser.get(EXPORT))).toMatchObject([
      { type: 'account.exported', actor_id: id, user_id: id, org_id: null },
    ]);
    expect((await app.mailbox.last(browser.email)).subject).toBe('A copy of your data was downloaded');
  });

  it('needs a session with a recent proof', async () => {
    const browser = await loggedIn(app);
    await ageProof(app, browser);

    expect(await browser.get(EXPORT)).toMatchObject({
      status: 403,
      body: { code: 'StepUpRequired', methods: ['password'] },
    });
    expect((await app.browser().get(EXPORT)).status).toBe(401);
    await browser.post('/auth/step-up', { password: PASSWORD });
    expect((await browser.get(EXPORT)).status).toBe(200);
  });

  it('is open to an account that only logs in through a provider', async () => {
    const browser = app.browser();
    const email = freshAddress();
    await loginThrough(provider, browser, { sub: email, email, email_verified: true });

    expect((await browser.get(EXPORT)).body.identities).toMatchObject([
      { provider: provider.issuer, subject: email, email },
    ]);
  });
});

describe('a copy whose reader takes a while', () => {
  it('is of one instant, whatever changes meanwhile', async () => {
    const browser = await loggedIn(app);
    const id = await idOf(browser.email);
    await addEvents(id);
    const { answer, rest } = await slowly(browser);
    expect(answer.statusCode).toBe(200);

    await app.database.rows(`DELETE FROM audit_events WHERE type = 'login.failed' AND user_id = $1`, [id]);
    await app.database.rows(`UPDATE users SET name = 'Somebody' WHERE id = $1`, [id]);
    const { user, audit_events } = JSON.parse(await rest());

    expect(user.name).toBeNull();
    expect(audit_events.length).toBeGreaterThan(20_000);
    await until(async () => (await lent()) === 0);
  });

  it('breaks off once the session has ended', async () => {
    const browser = await loggedIn(app);
    await addEvents(await idOf(browser.email));
    const { rest } = await slowly(browser);

    await app.database.rows(
      'UPDATE sessions SET invalidated_at = now() WHERE user_id = (SELECT id FROM users WHERE email = $1)',
      [browser.email],
    );

    await expect(rest()).rejects.toThrow('aborted');
    await until(async () => (await lent()) === 0);
  });

  it('keeps others from theirs until it ends, and no connection after that', async () => {
    const [first, second] = [await loggedIn(app), await loggedIn(app)];
    await addEvents(await idOf(first.email));
    const { answer } = await slowly(first);
    const sent = await app.database.value('SELECT count(*)::int FROM outbox_mails');

    expect(await second.get(EXPORT)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '5' },
      body: { code: 'TooManyRequests' },
    });
    expect(await app.database.value('SELECT count(*)::int FROM outbox_mails')).toBe(sent);
    expect(await lent()).toBe(1);

    answer.destroy();
    await until(async () => (await lent()) === 0);
    expect((await second.get(EXPORT)).status).toBe(200);
  });
});

describe('copies that are asked for at once', () => {
  it('leave the connections to the others', async () => {
    const owners = await Promise.all(Array.from({ length: 8 }, () => loggedIn(app)));
    for (const { email } of owners) await addEvents(await idOf(email), 5_000);

    const answers = (await Promise.all(owners.map(slowly))).map(({ answer }) => answer);

    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    expect(await lent()).toBe(1);
    for (const answer of answers) answer.destroy();
    await until(async () => (await lent()) === 0);
    expect((await owners.at(-1)?.get(EXPORT))?.status).toBe(200);
  });
});

describe('the limit of copies', () => {
  let limited: TestApp;
  beforeAll(async () => {
    limited = await TestApp.start({ SVC_RATE_LIMITS: 'on' });
  });
  afterAll(() => limited.close());

  it('is one an hour for a user, in whatever session', async () => {
    const browser = await loggedIn(limited);
    expect((await browser.get(EXPORT)).status).toBe(200);

    const other = await loggedIn(limited, browser.email);
    const { status, headers, body } = await other.get(EXPORT);

    expect([status, body.code]).toEqual([429, 'TooManyRequests']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_500);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(3_600);
    expect((await (await loggedIn(limited)).get(EXPORT)).status).toBe(200);
  });

  it('does not count a copy that did not begin', async () => {
    const browser = await loggedIn(limited);
    await limited.database.rows('ALTER TABLE outbox_mails RENAME TO moved');
    expect((await browser.get(EXPORT)).status).toBe(500);
    await limited.database.rows('ALTER TABLE moved RENAME TO outbox_mails');

    expect((await browser.get(EXPORT)).status).toBe(200);
  });

  it('lets one of two at once through', async () => {
    const browser = await loggedIn(limited);
    const answers = await Promise.all([browser.get(EXPORT), browser.get(EXPORT)]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429]);
  });
});
