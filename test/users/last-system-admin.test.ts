import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedInAs, PASSWORD } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

describe('the last SYSTEM_ADMIN who can log in', () => {
  it('cannot delete the account while the others never set a password, or are disabled', async () => {
    const admin = await loggedInAs(app, 'sys_admin');
    const appointed = randomUUID();
    await app.database.rows(`INSERT INTO users (id, email, own_role) VALUES ($1, $2, 'sys_admin')`, [
      appointed,
      freshAddress(),
    ]);
    const disabled = await loggedInAs(app, 'sys_admin');
    await admin.patch(`/users/${disabled.id}`, { disabled: true });
    const remove = () => admin.send('DELETE', '/users/me', { current_password: PASSWORD });

    expect(await remove()).toMatchObject({ status: 409, body: { code: 'LastSystemAdmin' } });
    expect((await admin.get('/users/me')).status).toBe(200);

    await app.database.rows(
      `INSERT INTO identities (id, user_id, provider, subject) VALUES (gen_random_uuid(), $1, 'https://idp.example', '1')`,
      [appointed],
    );
    expect((await remove()).status).toBe(204);
  });

  it('keeps the factors when the admin who would reset them cannot log in', async () => {
    const [admin, other] = [await loggedInAs(app, 'sys_admin'), await loggedInAs(app, 'sys_admin')];
    await app.database.rows(
      `UPDATE users SET disabled_at = now() WHERE own_role = 'sys_admin' AND id <> ALL ($1)`,
      [[admin.id, other.id]],
    );
    await app.database.rows(
      'UPDATE users SET password_hash = NULL, password_changed_at = NULL WHERE id = $1',
      [admin.id],
    );

    expect((await admin.delete(`/users/${other.id}/factors`)).body.code).toBe('LastSystemAdmin');
  });

  it('may change and disable those who cannot log in', async () => {
    const admin = await loggedInAs(app, 'sys_admin');
    const appointed = await loggedInAs(app, 'sys_admin');
    await app.database.rows(
      'UPDATE users SET password_hash = NULL, password_changed_at = NULL WHERE id = $1',
      [appointed.id],
    );

    expect((await admin.patch(`/users/${appointed.id}`, { role: 'member' })).status).toBe(200);
  });
});
