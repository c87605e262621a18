import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { callCommand, runCommand } from '../support/command-line.js';
import { tokenIn } from '../support/mails.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const cli = (...words: string[]) => callCommand(app, words);
const reset = (token: string) =>
  app.browser().post('/password/reset', { token, new_password: 'only the admin knows' });

describe('create-admin', () => {
  it('creates a SYSTEM_ADMIN without a password, and mails a link that works once', async () => {
    const email = freshAddress();

    const { code, output } = await runCommand(app, ['create-admin', email]);

    expect(code).toBe(0);
    expect(tokenIn(output)).toBe('');
    expect(
      await app.database.rows('SELECT own_role, password_hash FROM users WHERE email = $1', [email]),
    ).toEqual([{ own_role: 'sys_admin', password_hash: null }]);

    const token = await app.mailbox.token(email);
    expect((await reset(token)).status).toBe(204);
    expect((await reset(token)).status).toBe(400);
    const browser = await loggedIn(app, email, 'only the admin knows');
    expect((await browser.get('/users/me')).body.user.role).toBe('sys_admin');
  });

  it('prints the link instead with --print', async () => {
    const email = freshAddress();

    const { output } = await cli('create-admin', email, '--print');

    expect(await app.mailbox.to(email)).toEqual([]);
    expect((await reset(tokenIn(output))).status).toBe(204);
  });

  it('leads the admin to the pages and then to the console, wherever other links lead', async () => {
    const [mailed, printed] = [freshAddress(), freshAddress()];
    const link = /http:\/\/localhost:3000\/ui\/reset-password\?token=[\w-]{43}&return_to=%2Fadmin/;
    const toSpa = { SVC_BASE_WEB_URL: 'http://localhost:5173' };

    const { output } = await callCommand(app, ['create-admin', printed, '--print'], toSpa);
    await callCommand(app, ['create-admin', mailed], toSpa);
    const off = await callCommand(app, ['create-admin', printed, '--print'], { ...toSpa, SVC_PAGES: 'off' });

    expect(output).toMatch(link);
    expect((await app.mailbox.last(mailed)).text).toMatch(link);
    expect(off.output).toMatch(/http:\/\/localhost:5173\/reset-password\?token=[\w-]{43}\n/);
  });

  it('promotes an account, which keeps its password', async () => {
    const email = await verified(app);
    const browser = await loggedIn(app, email);

    const { output } = await cli('create-admin', email.toUpperCase());

    expect(tokenIn(output)).toBe('');
    expect((await browser.get('/users/me')).body.user.role).toBe('sys_admin');
  });

  it('drops a password that was set before the address was verified', async () => {
    const email = await verified(app);
    await app.database.rows('UPDATE users SET email_verified_at = NULL WHERE email = $1', [email]);

    await cli('create-admin', email);

    expect((await app.browser().post('/auth/login', { email, password: PASSWORD })).status).toBe(401);
    expect((await reset(await app.mailbox.token(email))).status).toBe(204);
  });

  it.each(['not an address', 'a@b'])('refuses %s', async (address) => {
    const { code, output } = await cli('create-admin', address);

    expect(code).toBe(1);
    expect(output).toContain(`${address} is not an email address.`);
    expect(output).not.toContain('at ');
  });
});
