import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, loggedInAs, PASSWORD, signedUp, verified } from '../support/accounts.js';
import { callCommand } from '../support/command-line.js';
import type { IdentityProvider } from '../support/identity-provider.js';
import { callbackAs, startWithProvider } from '../support/identity-provider.js';
import { foundOrg, invite } from '../support/orgs.js';
import { statementsDuring } from '../support/statements.js';
import type { TestApp } from '../support/test-app.js';

const NEW_PASSWORD = 'a wholly different phrase';
const WRONG_PASSWORD = 'nobody ever had this one';

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider());
});
afterAll(() => stop());

describe('the audit log', () => {
  it('holds no password, token, cookie or address, whatever users have done', async () => {
    const secrets = [PASSWORD, NEW_PASSWORD, WRONG_PASSWORD];
    const mailed = async (email: string) => {
      const token = await app.mailbox.token(email);
      secrets.push(token);
      return token;
    };

    const email = await signedUp(app);
    await app.browser().post('/auth/verify-email/resend', { email });
    await app.browser().post('/auth/login', { email, password: PASSWORD });
    await app.browser().post('/auth/verify-email', { token: await mailed(email), password: PASSWORD });
    await app.browser().post('/auth/login', { email, password: WRONG_PASSWORD });
    await app.browser().post('/auth/login', { email: freshAddress(), password: WRONG_PASSWORD });
    await app.browser().post('/auth/signup', { email, password: PASSWORD });
    await app.browser().post('/password/forgot', { email: freshAddress() });
    await app.browser().post('/password/forgot', { email });
    const token = await mailed(email);
    await app.browser().post('/password/reset', { token, new_password: NEW_PASSWORD });

    const browser = await loggedIn(app, email, NEW_PASSWORD);
    secrets.push(...browser.jar.values());
    await browser.patch('/users/me', { name: 'Ada Lovelace' });
    await browser.get('/users?email=somebody@example.com');
    const newEmail = freshAddress();
    await browser.post('/users/me/email', { new_email: newEmail, current_password: NEW_PASSWORD });
    await browser.post('/users/me/email/confirm', { token: await mailed(newEmail) });
    await browser.post('/password/update', { current_password: NEW_PASSWORD, new_password: PASSWORD });
    secrets.push(...browser.jar.values());

    const { id, admin } = await foundOrg(app);
    const invitation = await invite(app, admin, id, await verified(app));
    secrets.push(invitation);
    await browser.post('/invitations/accept', { token: invitation });
    await browser.post('/invitations/decline', { token: invitation });
    await (await loggedInAs(app, 'sys_admin')).post('/orgs', {
      name: 'Initech',
      admin_email: freshAddress(),
    });

    const callback = await callbackAs(provider, browser, {
      sub: 'the subject there',
      email: newEmail,
      email_verified: true,
    });
    secrets.push(...new URL(callback, 'http://localhost').searchParams.values());
    await browser.get(callback);
    secrets.push(...browser.jar.values());
    await callCommand(app, ['create-admin', newEmail]);
    await browser.send('DELETE', '/users/me', { current_password: PASSWORD });

    const record = JSON.stringify(await app.database.rows('SELECT * FROM audit_events'));
    expect(new Set(record.match(/(?<="type":")[^"]+/g)).size).toBeGreaterThan(12);
    const issuers = [provider.issuer, encodeURIComponent(provider.issuer)];
    for (const secret of secrets.filter((value) => !issuers.includes(value)))
      expect(record).not.toContain(secret);
    expect(record).not.toContain('@');
    expect(record).not.toContain('Ada Lovelace');
  });
});

describe('known and unknown addresses', () => {
  it.each([
    ['/auth/signup', 1, { password: PASSWORD }],
    ['/auth/login', 1, { password: WRONG_PASSWORD }],
    ['/password/forgot', 0, {}],
    ['/auth/verify-email/resend', 0, {}],
  ])('are recorded alike by %s, before the answer', async (url, events, body) => {
    const post = (email: string) => () => app.browser().post(url, { email, ...body });

    const known = await statementsDuring(post(await verified(app)));
    const unknown = await statementsDuring(post(freshAddress()));

    const recorded = (statements: string[]) =>
      statements.filter((statement) => statement.includes('INSERT INTO audit_events'));
    expect(known.length).toBeGreaterThan(0);
    expect(recorded(known)).toHaveLength(events);
    expect(recorded(unknown)).toEqual(recorded(known));
  });
});
