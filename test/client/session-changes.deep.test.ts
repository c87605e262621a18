import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AdminLatchkey } from '../../src/client/admin.js';
import { freshAddress, giveRole, loggedIn, loggedInAs, PASSWORD, verified } from '../support/accounts.js';
import { AuthenticatorApp, ageProof, appOwner, pendingLogin } from '../support/authenticator-app.js';
import type { Browser } from '../support/browser.js';
import { foundOrg, invite } from '../support/orgs.js';
import { PasskeyOwner } from '../support/passkeys.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { CookieJar } from './cookie-jar.js';

const NEW_PASSWORD = 'a horse that staples batteries';

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await TestApp.start();
  url = `http://127.0.0.1:${await app.listen()}`;
});
afterAll(() => app.close());

/** A browser before a change, and the change as a page in it makes it. */
type Story = [browser: Browser, change: (page: AdminLatchkey) => Promise<unknown>];

/** All that may change what GET /users/me answers in the browser that does it, by operation. */
const CHANGES: Record<string, () => Promise<Story>> = {
  verifyEmail: async () => {
    const browser = app.browser();
    const { body } = await browser.post('/auth/signup', { email: freshAddress(), password: PASSWORD });
    const token = await app.mailbox.token(body.email);
    return [browser, (page) => page.verifyEmail({ token })];
  },
  login: async () => {
    const email = await verified(app);
    return [app.browser(), (page) => page.login({ email, password: PASSWORD })];
  },
  'login as another user': async () => {
    const email = await verified(app);
    return [await loggedIn(app), (page) => page.login({ email, password: PASSWORD })];
  },
  passkeyLogin: async () => {
    const { authenticator } = await PasskeyOwner.in(app);
    return [
      app.browser(),
      async (page) => {
        const { options } = await page.beginPasskeyLogin();
        return page.passkeyLogin({ credential: authenticator.get(options as never) as never });
      },
    ];
  },
  completeLogin: async () => {
    const owner = await appOwner(app);
    return [await pendingLogin(app, owner), (page) => page.completeLogin({ totp: owner.app.code() })];
  },
  logout: async () => [await loggedIn(app), (page) => page.logout()],
  stepUp: async () => {
    const browser = await loggedIn(app);
    await ageProof(app, browser);
    return [browser, (page) => page.stepUp({ password: PASSWORD })];
  },
  secureAccount: async () => {
    const browser = await loggedIn(app);
    await loggedIn(app, browser.email);
    const { text } = await app.mailbox.last(browser.email);
    const token = /secure-account\?token=([\w-]+)/.exec(text)?.[1] ?? '';
    return [browser, (page) => page.secureAccount({ token })];
  },
  resetPassword: async () => {
    const browser = await loggedIn(app);
    await browser.post('/password/forgot', { email: browser.email });
    const token = await app.mailbox.token(browser.email);
    return [browser, (page) => page.resetPassword({ token, new_password: NEW_PASSWORD })];
  },
  updatePassword: async () => [
    await loggedIn(app),
    (page) => page.updatePassword({ current_password: PASSWORD, new_password: NEW_PASSWORD }),
  ],
  removePassword: async () => {
    const { browser } = await PasskeyOwner.in(app);
    return [browser, (page) => page.removePassword({ current_password: PASSWORD })];
  },
  updateMe: async () => [await loggedIn(app), (page) => page.updateMe({ name: 'Ada' })],
  confirmEmail: async () => {
    const [browser, new_email] = [await loggedIn(app), freshAddress()];
    await browser.post('/users/me/email', { new_email, current_password: PASSWORD });
    const token = await app.mailbox.token(new_email);
    return [browser, (page) => page.confirmEmail({ token })];
  },
  confirmTotp: async () => {
    const browser = await loggedIn(app);
    const { body } = await browser.post('/users/me/totp');
    return [browser, (page) => page.confirmTotp({ code: new AuthenticatorApp(body.secret).code() })];
  },
  deleteMe: async () => [await loggedIn(app), (page) => page.deleteMe({ current_password: PASSWORD })],
  'endSession of this browser': async () => {
    const browser = await loggedIn(app);
    const { body } = await browser.get('/users/me');
    return [browser, (page) => page.endSession({ id: body.session.id })];
  },
  'endUserSession of this browser': async () => {
    const admin = await loggedInAs(app, 'sys_admin');
    const { body } = await admin.get('/users/me');
    return [admin, (page) => page.endUserSession({ id: admin.id, session_id: body.session.id })];
  },
  foundOrg: async () => [await loggedIn(app), (page) => page.foundOrg({ name: 'Initech' })],
  'deleteOrg of oneself': async () => {
    const { id, admin } = await foundOrg(app);
    await giveRole(app.database, admin.id, 'sys_admin');
    return [admin, (page) => page.deleteOrg({ org_id: id })];
  },
  'removeMember, to leave': async () => {
    const { id, member } = await foundOrg(app);
    return [member, (page) => page.removeMember({ org_id: id, user_id: member.id })];
  },
  acceptInvitation: async () => {
    const [{ id, admin }, browser] = [await foundOrg(app), await loggedIn(app)];
    const token = await invite(app, admin, id, browser.email);
    return [browser, (page) => page.acceptInvitation({ token })];
  },
};

/** What the service says of the session of a browser. */
async function truthIn({ cookies }: CookieJar): Promise<object> {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
  const response = await fetch(`${url}/users/me`, { headers: { cookie } });
  return response.ok ? { status: 'in', ...((await response.json()) as object) } : { status: 'out' };
}

describe.each(Object.entries(CHANGES))('%s', (_, tell) => {
  it('leaves in the store what GET /users/me answers then, in this tab and in another', async () => {
    const [browser, change] = await tell();
    const jar = new CookieJar(browser);
    const pages = [jar.tab(url), jar.tab(url)];
    const unsubscribers = pages.map(({ session }) => session.subscribe(() => {}));
    const before = await truthIn(jar);
    for (const { session } of pages) await until(() => isDeepStrictEqual(session.getSnapshot(), before));

    await change(pages[0] as AdminLatchkey);

    const after = await truthIn(jar);
    expect(after).not.toEqual(before);
    for (const { session } of pages) await until(() => isDeepStrictEqual(session.getSnapshot(), after));
    for (const unsubscribe of unsubscribers) unsubscribe();
  });
});
