import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD } from '../support/accounts.js';
import { detailsOf, eventsAfter } from '../support/audit.js';
import { addApp, appOwner } from '../support/authenticator-app.js';
import type { Browser } from '../support/browser.js';
import {
  ASK_PROOF,
  asksToProve,
  barelyLoggedIn,
  logIn,
  PROVE,
  prove,
  twinOf,
  WITH_EMAIL_CODES,
  wrong,
} from '../support/email-codes.js';
import { foundOrg, place } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

const INVALID = { status: 400, body: { code: 'InvalidCode' } };
const STEP_UP = { status: 403, body: { code: 'StepUpRequired', methods: ['email_code'] } };

/** A route that asks for a recent proof. */
const RECENT = '/users/me/passkeys/options';

let app: TestApp;
let off: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ ...WITH_EMAIL_CODES, SVC_LOCALES: 'en,de' });
  off = await TestApp.start({}, { database: app.database });
});
afterAll(async () => {
  await off.nest.close();
  await app.close();
});

const age = (id: string) =>
  app.database.rows(
    `UPDATE sessions SET authenticated_at = authenticated_at - interval '11 minutes' WHERE user_id = $1`,
    [id],
  );

const linkIdentity = (id: string) =>
  app.database.rows(
    `INSERT INTO identities (id, user_id, provider, subject)
     VALUES (gen_random_uuid(), $1, 'https://idp.example', gen_random_uuid())`,
    [id],
  );

const sessionIn = async (browser: Browser) => (await browser.get('/users/me')).body.session;

describe('an account that has nothing but its address', () => {
  it('is asked for a mailed code, proves by it who its user is, and then does what asked for the proof', async () => {
    const user = await barelyLoggedIn(app);
    await age(user.id);
    expect(await user.post(RECENT)).toMatchObject(STEP_UP);

    const code = await asksToProve(app, user);
    expect(await prove(user, code)).toMatchObject({ status: 200, body: { session: { current: true } } });

    expect((await user.post(RECENT)).status).toBe(200);
    expect(await detailsOf(app, user.id, 'step_up.succeeded')).toEqual([{ method: 'email_code' }]);
  });

  it('stays at the first level, gets a fresh cookie, and has the former one refused', async () => {
    const user = await barelyLoggedIn(app);
    const former = twinOf(user, app);
    expect((await prove(user, await asksToProve(app, user))).cookies).toEqual([
      expect.stringMatching(/^session_id=/),
    ]);

    expect(await sessionIn(user)).toMatchObject({ aal: 1, auth_method: 'email_code' });
    expect((await former.get('/users/me')).body.code).toBe('SessionRenewed');
    const stored = await app.database.rows(
      'SELECT aal, raised_by, proven_by FROM sessions WHERE user_id = $1',
      [user.id],
    );
    expect(stored).toEqual([{ aal: 1, raised_by: null, proven_by: ['email_code'] }]);
  });

  it('proves nothing to an organization that asks for a second factor', async () => {
    const user = await barelyLoggedIn(app);
    const org = await foundOrg(app);
    await place(app.database, user.email, org.id, 'member');
    await app.database.rows('UPDATE organizations SET policy_idle_minutes = 5 WHERE id = $1', [org.id]);
    await app.database.rows(
      `UPDATE sessions SET last_seen_at = now() - interval '1 hour' WHERE user_id = $1`,
      [user.id],
    );
    const members = () => user.get(`/orgs/${org.id}/members`);
    expect(await members()).toMatchObject(STEP_UP);
    await prove(user, await asksToProve(app, user));
    expect((await members()).status).toBe(200);

    await app.database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [
      org.id,
    ]);
    expect((await members()).body).toMatchObject({ code: 'OrgPolicyUnmet', cure: 'set_up_factor' });
  });
});

describe('POST /auth/step-up/code', () => {
  it('mails the code, no link that proves it, and one for where it was not the owner', async () => {
    const user = await barelyLoggedIn(app);
    const code = await asksToProve(app, user);

    const { subject, text } = await app.mailbox.last(user.email);
    expect(subject).toBe('Confirm that it is you');
    expect(text).toContain(`\n\n${code}\n\nOnly enter this code where you asked for it.`);
    expect(text.match(/https?:\S+/g)).toEqual([expect.stringContaining('/secure-account?token=')]);
    expect(subject).not.toContain(code);
  });

  it('records who asked', async () => {
    const user = await barelyLoggedIn(app);
    expect(await eventsAfter(app, () => asksToProve(app, user))).toMatchObject([
      { type: 'email_code.requested', user_id: user.id, actor_id: user.id },
    ]);
  });

  it('asks for a session', async () => {
    expect((await app.browser().post(ASK_PROOF)).status).toBe(401);
  });

  it('is 404 where nobody logs in with a mailed code, and the proof does not do there', async () => {
    const user = await barelyLoggedIn(app);
    const elsewhere = off.browser();
    for (const [name, value] of user.jar) elsewhere.jar.set(name, value);
    expect((await elsewhere.post(ASK_PROOF)).status).toBe(404);
    expect((await prove(elsewhere, 'AAAA-AAAA')).body).toMatchObject({ code: 'StepUpRequired', methods: [] });
  });
});

describe('a mailed code will not do', () => {
  it.each([
    [
      'with a password',
      ['password'],
      (id: string) =>
        app.database.rows(
          `UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE password_hash IS NOT NULL LIMIT 1),
                  password_changed_at = now() WHERE id = $1`,
          [id],
        ),
    ],
    ['with a login at a provider', [], linkIdentity],
  ])('to an account %s', async (_, methods, change) => {
    await appOwner(app);
    const user = await barelyLoggedIn(app);
    const code = await asksToProve(app, user);
    await change(user.id);

    for (const answer of [await user.post(ASK_PROOF), await prove(user, code)])
      expect(answer).toMatchObject({ status: 403, body: { code: 'StepUpRequired', methods } });
    expect(await detailsOf(app, user.id, 'step_up.failed')).toEqual([]);
  });

  it('to an account whose login takes a second step', async () => {
    const user = await barelyLoggedIn(app);
    const code = await asksToProve(app, user);
    await addApp(app, { browser: user, id: user.id });
    expect((await prove(user, code)).body).toMatchObject({
      code: 'StepUpRequired',
      methods: ['totp', 'recovery_code'],
    });
  });
});

describe('a code that is not right here', () => {
  it('is refused in another session of the same user and browser, which did not ask', async () => {
    const user = await barelyLoggedIn(app);
    const code = await asksToProve(app, user);
    const other = await barelyLoggedIn(app, user.email);
    other.jar.set('session_id_code', user.jar.get('session_id_code') ?? '');

    expect(await prove(other, code)).toMatchObject(INVALID);
    expect((await prove(user, code)).status).toBe(200);
  });

  it('is refused in another browser with the same session', async () => {
    const user = await barelyLoggedIn(app);
    const code = await asksToProve(app, user);
    const thief = twinOf(user, app);
    thief.jar.delete('session_id_code');

    expect(await prove(thief, code)).toMatchObject(INVALID);
    expect((await prove(user, code)).status).toBe(200);
  });

  it('is refused as a login, as a code for a login is refused as a proof', async () => {
    const user = await barelyLoggedIn(app);
    const code = await asksToProve(app, user);
    expect(await logIn(twinOf(user, app), code)).toMatchObject(INVALID);

    await user.post('/auth/email-code', { email: user.email });
    expect(await prove(user, await app.mailbox.code(user.email))).toMatchObject(INVALID);
  });

  it('is refused once it was used, and after the address has changed', async () => {
    const user = await barelyLoggedIn(app);
    const code = await asksToProve(app, user);
    await prove(user, code);
    expect(await prove(user, code)).toMatchObject(INVALID);

    const moved = await barelyLoggedIn(app);
    const former = await asksToProve(app, moved);
    await app.database.rows(`UPDATE users SET email = 'moved-' || email WHERE id = $1`, [moved.id]);
    expect(await prove(moved, former)).toMatchObject(INVALID);
  });

  it('counts, is recorded, and after five of them not even the right one does', async () => {
    const user = await barelyLoggedIn(app);
    const code = await asksToProve(app, user);
    for (let guess = 0; guess < 5; guess++) expect(await prove(user, wrong(code))).toMatchObject(INVALID);

    expect(await prove(user, code)).toMatchObject(INVALID);
    expect(await detailsOf(app, user.id, 'step_up.failed')).toHaveLength(6);
  });
});

it.each([
  {},
  { email_code: 7 },
  { email_code: 'AAAA' },
  { email_code: 'AAAA-AAAA', password: PASSWORD },
  { email_code: 'AAAA-AAAA', totp: '123456' },
])('refuses the body %j', async (body) => {
  const user = await barelyLoggedIn(app);
  expect(await user.post(PROVE, body)).toMatchObject({ status: 400, body: { code: 'ValidationFailed' } });
});
