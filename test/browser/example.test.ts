import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { freshAddress, giveRole, PASSWORD, verified } from '../support/accounts.js';
import { AuthenticatorApp, appOwner } from '../support/authenticator-app.js';
import { wrong } from '../support/email-codes.js';
import { linkIn } from '../support/mails.js';
import { foundOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { startChromium } from './chromium.js';
import { ErrorLines } from './error-lines.js';
import { Visitor } from './visitor.js';

const FOLDER = 'test/browser/example';

let app: TestApp;
let pages: Server;
let chromium: Browser;
beforeAll(async () => {
  app = await TestApp.start({ SVC_ACTING: 'on', SVC_EMAIL_CODE_LOGIN: 'on' });
  const { outputFiles } = await build({
    entryPoints: [`${FOLDER}/main.tsx`],
    bundle: true,
    format: 'esm',
    write: false,
    define: { API_URL: '"http://localhost:3000"' },
  });
  pages = createServer(({ url }, response) => {
    if (url === '/main.js')
      response.setHeader('content-type', 'text/javascript').end(outputFiles[0]?.contents);
    else response.setHeader('content-type', 'text/html').end(readFileSync(`${FOLDER}/index.html`));
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  chromium = await startChromium({
    'localhost:3000': await app.listen(),
    'localhost:5173': (pages.address() as AddressInfo).port,
  });
});
afterAll(async () => {
  await chromium.close();
  pages.closeAllConnections();
  pages.close();
  await app.close();
});

async function visitor(): Promise<Visitor> {
  const context = await chromium.newContext();
  const home = 'http://localhost:5173';
  const someone = await Visitor.openIn(context, home, new ErrorLines(context, home));
  await someone.open('/');
  return someone;
}

describe('a product in React on another origin', () => {
  it('says in words that the password is wrong, keeps the address, and logs in with the right one', async () => {
    const email = await verified(app);
    const ada = await visitor();
    ada.expectRefusal('401 /auth/login');

    await ada.submit('Log in', { Email: email, Password: 'not that one' });
    await ada.sees('The email address or the password is not correct.');
    expect(await ada.field('Email').inputValue()).toBe(email);
    await ada.submit('Log in', { Password: PASSWORD });

    await ada.sees(`You are logged in as ${email}.`);
  });

  it('logs in with a mailed code, also after a wrong one', async () => {
    const email = await verified(app);
    const ada = await visitor();
    await ada.submit('Email me a code', { 'Address for a code': email });
    await ada.sees(`If ${email} has an account, a code is on its way.`);
    const code = await app.mailbox.code(email);
    ada.expectRefusal('400 /auth/email-code/login');
    await ada.submit('Log in with the code', { Code: wrong(code) });
    await ada.sees('This code is not correct, or was used before.');
    await ada.submit('Log in with the code', { Code: code });
    await ada.sees(`You are logged in as ${email}.`);
  });

  it('says to an admin who acts for a user that they do, and stops', async () => {
    const [email, root] = [await verified(app), await verified(app)];
    await giveRole(app.database, root, 'sys_admin');
    const id = await app.database.value('SELECT id FROM users WHERE email = $1', [email]);
    const admin = await visitor();
    await admin.submit('Log in', { Email: root, Password: PASSWORD });
    await admin.sees(`You are logged in as ${root}.`);
    await admin.page.evaluate(
      `fetch('http://localhost:3000/users/${id}/act', {
         method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' },
         body: JSON.stringify({ reason: 'A ticket', org_id: 'none' }),
       }).then(() => location.reload())`,
    );
    await admin.sees(`You are acting for ${email} until`);
    await admin.sees('You can only look.');
    await admin.submit('Stop acting');
    await admin.sees(`You are logged in as ${root}.`);
    expect(await admin.find('complementary').count()).toBe(0);
  });

  it('shows in another tab what happened in one, without a reload', async () => {
    const email = await verified(app);
    const first = await visitor();
    const second = await first.inNewTab();
    await second.open('/');
    await second.sees('Log in at the service');

    await first.submit('Log in', { Email: email, Password: PASSWORD });
    await second.sees(`You are logged in as ${email}.`);
    await first.submit('Save', { Name: 'Ada' });
    await second.sees('You are logged in as Ada.');
    await first.press('Log out');
    await second.sees('Log in at the service');
  });

  it('asks who the user is before what is dangerous, and goes on with it', async () => {
    const email = await verified(app);
    const ada = await visitor();
    ada.expectRefusal('403 /users/me/passkeys/options', '400 /auth/step-up');
    await ada.submit('Log in', { Email: email, Password: PASSWORD });
    await ada.sees(`You are logged in as ${email}.`);
    await app.database.rows(`UPDATE sessions SET authenticated_at = authenticated_at - interval '1 hour'`);

    await ada.press('Add a passkey');
    await ada.submit('Confirm', { Password: 'not that one' });
    await ada.sees('password is not correct');
    await ada.submit('Confirm', { Password: PASSWORD });

    await ada.page.locator('dialog').waitFor({ state: 'detached' });
    expect(
      await app.database.value(
        "SELECT count(*)::int FROM sessions WHERE authenticated_at > now() - interval '1 minute'",
      ),
    ).toBe(1);
  });
});

describe('the machines of latchkey-client/react', () => {
  it('take the second step of a login, also after a reload and after a code that is wrong', async () => {
    const { email, app: phone } = await appOwner(app);
    const ada = await visitor();
    ada.expectRefusal('400 /auth/pending-login/second-factor', '401 /auth/pending-login');

    await ada.submit('Log in', { Email: email, Password: PASSWORD });
    await ada.sees('Code of your app');
    await ada.open('/second-step');
    await ada.submit('Confirm', { 'Code of your app': phone.wrongCode() });
    await ada.sees('code is not correct');
    await ada.submit('Confirm', { 'Code of your app': phone.code(1) });

    await ada.sees(`You are logged in as ${email}.`);
    await ada.press('Log out');
    await ada.open('/second-step');
    await ada.sees('Log in at the service');
  });

  it('give up a login that waits for its second step, so that the next person does not find it', async () => {
    const { email } = await appOwner(app);
    const ada = await visitor();
    ada.expectRefusal('401 /auth/pending-login');

    await ada.submit('Log in', { Email: email, Password: PASSWORD });
    await ada.press('Cancel');
    await ada.sees('Log in at the service');
    await ada.open('/second-step');

    await ada.sees('Log in at the service');
  });

  it('ask for the credentials again, and say why, when the login took too long', async () => {
    const { email, id, app: phone } = await appOwner(app);
    const ada = await visitor();
    ada.expectRefusal('401 /auth/pending-login/second-factor');

    await ada.submit('Log in', { Email: email, Password: PASSWORD });
    await ada.sees('Code of your app');
    await app.database.rows('DELETE FROM pending_logins WHERE user_id = $1', [id]);
    await ada.submit('Confirm', { 'Code of your app': phone.code(1) });

    await ada.sees('Log in at the service');
    expect(await ada.text(ada.find('alert').first())).not.toBe('');
  });

  it('set up a factor that the organization requires, and show the recovery codes until they are kept', async () => {
    const { id, member } = await foundOrg(app);
    await app.database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [id]);
    const email = await app.database.value('SELECT email FROM users WHERE id = $1', [member.id]);
    const ada = await visitor();

    await ada.submit('Log in', { Email: email, Password: PASSWORD });
    await ada.press('I have an app');
    const phone = new AuthenticatorApp(await ada.page.locator('code').innerText());
    await ada.submit('Confirm', { 'Code of your app': phone.code() });
    await ada.sees('Keep these codes.');
    expect(await ada.find('listitem').count()).toBe(10);
    await ada.press('I have kept them');

    await ada.sees(`You are logged in as ${email}.`);
    await ada.sees('Its admins can rename it.');
  });

  it('sign up with an organization, whose admin renames it; the tab that waits for the mail goes on by itself', async () => {
    const email = freshAddress();
    const ada = await visitor();
    await ada.open('/signup');

    await ada.submit('Sign up', { Email: email, Password: PASSWORD, Organization: 'Initech' });
    await ada.sees(`We have sent a link to ${email}.`);
    const other = await ada.inNewTab();
    await other.open(linkIn(await app.mailbox.last(email)));
    await other.press('Confirm my address');
    await other.sees('You belong to Initech.');
    await ada.sees('You belong to Initech.');
    await other.submit('Rename', { Organization: 'Initrode' });

    await other.sees('You belong to Initrode.');
    expect(other.path).toBe('/verify-email');
  });

  it('confirm a signup in another browser with its password', async () => {
    const email = freshAddress();
    const [ada, again] = [await visitor(), await visitor()];
    again.expectRefusal('400 /auth/verify-email', '401 /auth/verify-email', '403 /auth/verify-email');
    await ada.open('/signup');
    await ada.submit('Sign up', { Email: email, Password: PASSWORD });
    await ada.sees(`We have sent a link to ${email}.`);

    await again.open(linkIn(await app.mailbox.last(email)));
    await again.press('Confirm my address');
    await again.submit('Confirm my address', { Password: 'not that one' });
    await again.sees('password');
    await again.submit('Confirm my address', { Password: PASSWORD });

    await again.sees(`You are logged in as ${email}.`);
  });
});
