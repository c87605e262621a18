import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD } from '../../support/accounts.js';
import { detailsOf } from '../../support/audit.js';
import { Authenticator } from '../../support/authenticator.js';
import { Held } from '../../support/lock-step.js';
import { optionsOf, PasskeyOwner } from '../../support/passkeys.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const eventsOf = (userId: string, type: string) => detailsOf(app, userId, type);

/** Lets the login of a session be so long ago that what is dangerous asks for a proof. */
const age = (userId: string) =>
  app.database.rows(
    "UPDATE sessions SET authenticated_at = authenticated_at - interval '11 minutes' WHERE user_id = $1",
    [userId],
  );

const owner = () => PasskeyOwner.in(app);

describe('a passkey', () => {
  it('gets another name', async () => {
    const { browser, id } = await owner();
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;

    const renamed = await browser.patch(`/users/me/passkeys/${passkey.id}`, { name: 'The blue key' });

    expect(renamed.body.passkey).toEqual({ ...passkey, name: 'The blue key' });
    expect(await eventsOf(id, 'passkey.renamed')).toEqual([{ passkey_id: passkey.id }]);
  });

  it('keeps its name for a session that ended while it waited', async () => {
    const { browser, id } = await owner();
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;

    const held = await Held.by(app.database, 'SELECT 1 FROM passkeys WHERE id = $1 FOR UPDATE', [passkey.id]);
    const late = browser.patch(`/users/me/passkeys/${passkey.id}`, { name: 'The blue key' });
    await held.untilWaiting(1);
    await held.run(`UPDATE sessions SET invalidated_at = now() WHERE user_id = '${id}'`);
    await held.release();

    expect((await late).body.code).toBe('Unauthenticated');
    expect(await eventsOf(id, 'passkey.renamed')).toEqual([]);
  });

  it('keeps its name without a recent proof', async () => {
    const { browser, id } = await owner();
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;
    await age(id);

    const renamed = await browser.patch(`/users/me/passkeys/${passkey.id}`, { name: 'The blue key' });

    expect(renamed).toMatchObject({ status: 403, body: { code: 'StepUpRequired' } });
    expect((await browser.get('/users/me/passkeys')).body.data).toEqual([passkey]);
  });

  it('is removed after a recent proof, and the owner is told', async () => {
    const { browser, email, id } = await owner();
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;
    await age(id);

    expect((await browser.delete(`/users/me/passkeys/${passkey.id}`)).body).toMatchObject({
      code: 'StepUpRequired',
      methods: ['password', 'passkey'],
    });
    await browser.post('/auth/step-up', { password: PASSWORD });
    const { session } = (await browser.get('/users/me')).body;
    expect((await browser.delete(`/users/me/passkeys/${passkey.id}`)).status).toBe(204);

    expect((await browser.get('/users/me/passkeys')).body.data).toEqual([]);
    expect((await app.mailbox.last(email)).subject).toBe('A passkey was removed from your account');
    expect(await eventsOf(id, 'passkey.removed')).toEqual([
      { passkey_id: passkey.id, kept_session_id: session.id },
    ]);
  });

  it('that is removed ends the other sessions that it began, and none of the password', async () => {
    const { browser, email, authenticator } = await owner();
    const [byPasskey, byPassword] = [app.browser(), await loggedIn(app, email, PASSWORD)];
    const options = await optionsOf(byPasskey.post('/auth/passkey/options'));
    await byPasskey.post('/auth/passkey/login', { credential: authenticator.get(options) });
    expect((await byPasskey.get('/users/me')).status).toBe(200);
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;

    expect((await browser.delete(`/users/me/passkeys/${passkey.id}`)).status).toBe(204);
    const statuses = [browser, byPasskey, byPassword].map(
      async (each) => (await each.get('/users/me')).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 401, 200]);
  });

  it('of another user is not found', async () => {
    const { browser } = await owner();
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;
    const stranger = await loggedIn(app);

    expect((await stranger.patch(`/users/me/passkeys/${passkey.id}`, { name: 'mine' })).status).toBe(404);
    expect((await stranger.delete(`/users/me/passkeys/${passkey.id}`)).status).toBe(404);
  });

  it('lets the password go, and is then the last way in', async () => {
    const { browser, authenticator } = await owner();
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;

    expect((await browser.send('DELETE', '/password', { current_password: PASSWORD })).status).toBe(204);
    expect((await browser.delete(`/users/me/passkeys/${passkey.id}`)).body.code).toBe('LastLoginMethod');

    const other = app.browser();
    const options = await optionsOf(other.post('/auth/passkey/options'));
    expect((await other.post('/auth/passkey/login', { credential: authenticator.get(options) })).status).toBe(
      200,
    );
  });

  it('of another domain counts as absent', async () => {
    const { browser, authenticator, id } = await owner();
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;
    await app.database.rows("UPDATE passkeys SET rp_id = 'former.example' WHERE user_id = $1", [id]);

    expect((await browser.get('/users/me/passkeys')).body.data).toEqual([]);
    expect((await browser.send('DELETE', '/password', { current_password: PASSWORD })).body.code).toBe(
      'LastLoginMethod',
    );
    expect((await browser.delete(`/users/me/passkeys/${passkey.id}`)).status).toBe(404);
    expect((await browser.post('/auth/step-up/options')).body.code).toBe('NoSecondFactor');
    const other = app.browser();
    const options = await optionsOf(other.post('/auth/passkey/options'));
    const refused = await other.post('/auth/passkey/login', { credential: authenticator.get(options) });
    expect(refused.body.code).toBe('UnknownPasskey');
  });
});

describe('a step-up with a passkey', () => {
  it('names the passkeys of the user, and raises the level of the session', async () => {
    const { browser, authenticator, id } = await owner();
    await age(id);
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;

    const options = await optionsOf(browser.post('/auth/step-up/options'));
    expect(options.allowCredentials).toEqual([
      { type: 'public-key', id: passkey.credential_id, transports: ['hybrid', 'internal'] },
    ]);
    // An authenticator may leave the user out where its passkey was named.
    const credential = authenticator.get(options, { userHandle: null });
    const { status, body } = await browser.post('/auth/step-up', { credential });

    expect(status).toBe(200);
    expect(body.session).toMatchObject({ auth_method: 'password', aal: 2 });
    expect((await browser.delete(`/users/me/passkeys/${passkey.id}`)).status).toBe(204);
    expect(await eventsOf(id, 'step_up.succeeded')).toEqual([{ method: 'passkey' }]);
  });

  it('keeps the level when the password proves it the next time', async () => {
    const { browser, authenticator } = await owner();
    const options = await optionsOf(browser.post('/auth/step-up/options'));
    await browser.post('/auth/step-up', { credential: authenticator.get(options) });

    const { body } = await browser.post('/auth/step-up', { password: PASSWORD });

    expect(body.session.aal).toBe(2);
  });

  it('refuses the passkey of another user, and records that', async () => {
    const { browser, id } = await owner();
    const other = await owner();
    const options = await optionsOf(browser.post('/auth/step-up/options'));

    const refused = await browser.post('/auth/step-up', { credential: other.authenticator.get(options) });

    expect(refused.body.code).toBe('InvalidPasskey');
    expect(await eventsOf(id, 'step_up.failed')).toEqual([{ method: 'passkey' }]);
  });

  it('says that a passkey was removed meanwhile, where the user has another one', async () => {
    const { browser, id, authenticator } = await owner();
    const second = new Authenticator();
    const creation = await optionsOf(browser.post('/users/me/passkeys/options'));
    await browser.post('/users/me/passkeys', { credential: second.create(creation) });
    const credential = authenticator.get(await optionsOf(browser.post('/auth/step-up/options')));
    await app.database.rows('DELETE FROM passkeys WHERE user_id = $1 AND credential_id = $2', [
      id,
      authenticator.keys[0]?.id,
    ]);

    expect((await browser.post('/auth/step-up', { credential })).body.code).toBe('UnknownPasskey');
  });

  it('takes exactly one proof', async () => {
    const { browser, authenticator } = await owner();
    const options = await optionsOf(browser.post('/auth/step-up/options'));
    const credential = authenticator.get(options);

    for (const body of [{}, { password: PASSWORD, credential }, { password: null }])
      expect((await browser.post('/auth/step-up', body)).body.code).toBe('ValidationFailed');
    expect((await browser.post('/auth/step-up', { credential, password: null })).status).toBe(200);
  });

  it('is all that an account without a password has', async () => {
    const { browser, id } = await owner();
    await browser.send('DELETE', '/password', { current_password: PASSWORD });
    await age(id);

    expect((await browser.delete('/users/me')).body).toMatchObject({
      code: 'StepUpRequired',
      methods: ['passkey'],
    });
    expect((await browser.post('/auth/step-up', { password: PASSWORD })).body).toMatchObject({
      code: 'StepUpRequired',
      methods: ['passkey'],
    });
  });
});

describe('an owner who secures the account', () => {
  it('removes the passkeys made within three days, and keeps the older ones', async () => {
    const { browser, email, id } = await owner();
    await app.database.rows(
      "UPDATE passkeys SET created_at = now() - interval '73 hours', name = 'the old one' WHERE user_id = $1",
      [id],
    );
    const options = await optionsOf(browser.post('/users/me/passkeys/options'));
    await browser.post('/users/me/passkeys', { credential: new Authenticator().create(options) });

    await app.browser().post('/auth/secure-account', { token: await app.mailbox.token(email) });

    const rows = await app.database.rows('SELECT name FROM passkeys WHERE user_id = $1', [id]);
    expect(rows).toEqual([{ name: 'the old one' }]);
    expect(await eventsOf(id, 'passkey.removed')).toEqual([{}]);
  });

  it('removes the passkey that the mail of the link reported, also when its week is almost over', async () => {
    const { browser, email, id } = await owner();
    const rename = "UPDATE passkeys SET name = 'the old one' WHERE user_id = $1";
    await app.database.rows(rename, [id]);
    const late = (table: string, column: string) =>
      app.database.rows(`UPDATE ${table} SET ${column} = ${column} - interval '6 days' WHERE user_id = $1`, [
        id,
      ]);
    await late('passkeys', 'created_at');
    const options = await optionsOf(browser.post('/users/me/passkeys/options'));
    await browser.post('/users/me/passkeys', { credential: new Authenticator().create(options) });
    const token = await app.mailbox.token(email);
    await late('passkeys', 'created_at');
    for (const column of ['created_at', 'expires_at']) await late('one_time_tokens', column);

    expect((await app.browser().post('/auth/secure-account', { token })).status).toBe(204);

    const rows = await app.database.rows('SELECT name FROM passkeys WHERE user_id = $1', [id]);
    expect(rows).toEqual([{ name: 'the old one' }]);
  });
});

describe('a deployment whose host is an IP address, or whose environment is unknown', () => {
  it.each([{ SVC_BASE_WEB_URL: 'http://127.0.0.1:5173' }, { SVC_BASE_WEB_URL: 'http://[::1]:5173' }])(
    'has no passkeys: %o',
    async (variables) => {
      const bare = await TestApp.start(variables, { database: app.database });
      const browser = bare.browser();

      const paths = [
        '/auth/passkey/options',
        '/auth/passkey/login',
        '/auth/step-up/options',
        '/users/me/passkeys/options',
        '/users/me/passkeys',
      ];
      const answers = [await browser.get('/users/me/passkeys')];
      for (const path of paths) answers.push(await browser.post(path));
      await bare.nest.close();

      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    },
  );
});
