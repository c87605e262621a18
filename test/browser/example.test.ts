import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { PASSWORD, verified } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';
import { startChromium } from './chromium.js';
import { ErrorLines } from './error-lines.js';
import { Visitor } from './visitor.js';

const FOLDER = 'test/browser/example';

let app: TestApp;
let pages: Server;
let chromium: Browser;
beforeAll(async () => {
  app = await TestApp.start();
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
    expect(await ada.page.getByLabel('Email').inputValue()).toBe(email);
    await ada.submit('Log in', { Password: PASSWORD });

    await ada.sees(`You are logged in as ${email}.`);
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
