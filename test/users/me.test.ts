import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SessionSchema } from '../../src/sessions/session.view.js';
import { UserSchema } from '../../src/users/user.view.js';
import type { JsonSchema } from '../../src/validation/schema.js';
import { loggedIn } from '../support/accounts.js';
import { Held } from '../support/lock-step.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

/** The fields of an object of the contract, which every answer of a test is held to as well. */
const fieldsOf = (schema: JsonSchema) => Object.keys(schema.properties as object).sort();

describe('GET /users/me', () => {
  it('returns the fields of the contract, and only those', async () => {
    const { body } = await (await loggedIn(app)).get('/users/me');

    expect(Object.keys(body.user).sort()).toEqual(fieldsOf(UserSchema));
    expect(Object.keys(body.session).sort()).toEqual(fieldsOf(SessionSchema));
    expect(body.user.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-/);
    expect(body.user.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('returns a session that lasts as long as the cookie', async () => {
    const { body } = await (await loggedIn(app)).get('/users/me');
    expect(Date.parse(body.session.expires_at) - Date.parse(body.session.created_at)).toBe(86_400_000);
  });
});

describe('PATCH /users/me', () => {
  it('changes the name', async () => {
    const browser = await loggedIn(app);

    expect(await browser.patch('/users/me', { name: '  Ada Lovelace ' })).toMatchObject({
      status: 200,
      body: { user: { name: 'Ada Lovelace', email: browser.email } },
    });
    expect((await browser.get('/users/me')).body.user.name).toBe('Ada Lovelace');
  });

  it('changes no name for a session that ended while it waited', async () => {
    const browser = await loggedIn(app);

    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE', [
      browser.email,
    ]);
    const late = browser.patch('/users/me', { name: 'Eve' });
    await held.untilWaiting(1);
    await held.run('UPDATE sessions SET invalidated_at = now()');
    await held.release();

    expect((await late).body.code).toBe('Unauthenticated');
    const sql = 'SELECT name FROM users WHERE email = $1';
    expect(await app.database.value(sql, [browser.email])).toBeNull();
  });

  it('removes the name with null, and keeps it when the body does not name it', async () => {
    const browser = await loggedIn(app);
    await browser.patch('/users/me', { name: 'Ada' });

    expect((await browser.patch('/users/me', {})).body.user.name).toBe('Ada');
    expect((await browser.patch('/users/me', { name: null })).body.user.name).toBeNull();
    expect((await browser.get('/users/me')).body.user.name).toBeNull();
  });

  it.each(['role', 'org_id', 'email', 'email_verified', 'id'])('refuses to change %s', async (field) => {
    const browser = await loggedIn(app);
    const before = await browser.get('/users/me');

    const answer = await browser.patch('/users/me', { name: 'Eve', [field]: 'sys_admin' });

    expect(answer).toMatchObject({ status: 400, body: { code: 'ValidationFailed', errors: [{ field }] } });
    expect((await browser.get('/users/me')).body.user).toEqual(before.body.user);
  });
});
