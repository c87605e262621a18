import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, verified } from '../support/accounts.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev();
});
afterAll(() => stage.stop());

describe('two browsers of one account', () => {
  it('are both listed, and a user in one logs the other out', async () => {
    const email = await verified(stage.app);
    const [laptop, phone] = await Promise.all([stage.visitor(), stage.visitor()]);
    await laptop.logIn(email);
    await phone.logIn(email);

    await laptop.follow('Security');
    await laptop.sees('This one');
    expect(await sessionsOn(laptop)).toBe(2);
    await laptop.press('Log out everywhere else');
    await laptop.press('Log them out');
    await laptop.sees('Sessions that have ended: 1.');
    expect(await sessionsOn(laptop)).toBe(1);

    await phone.follow('Security');
    await phone.sees('Please log in.');
    expect(phone.path).toBe('/ui/login?return_to=%2Fui%2Fsecurity');
  });

  it('log out one by one', async () => {
    const email = await verified(stage.app);
    const [laptop, phone] = await Promise.all([stage.visitor(), stage.visitor()]);
    await laptop.logIn(email);
    await phone.logIn(email);

    await laptop.follow('Security');
    await laptop.press('Log out Chrome on Linux');
    await laptop.sees('That session has ended.');

    await phone.follow('Security');
    await phone.sees('Please log in.');
  });
});

describe('two tabs of one browser', () => {
  it('share the session: a logout in one sends the other to the login page at once, and a login brings it back', async () => {
    const tab = await stage.visitor();
    const email = await verified(stage.app);
    await tab.logIn(email);
    const other = await tab.inNewTab();
    await other.open('/security');
    await other.sees('This one');
    await other.hasLoaded();

    await tab.logOut();
    await tab.sees('You are logged out.');
    await other.sees('Please log in.');

    await other.submit('Log in', { Email: email, Password: PASSWORD });
    await other.sees('This one');
    await tab.open('/account');
    await tab.sees(email);
  });
});

describe('the login page', () => {
  it.each([
    'http://elsewhere.test',
    '//elsewhere.test',
    '/\\elsewhere.test',
    '/..//elsewhere.test',
    '/ui/..//elsewhere.test',
    '/ui/../dev/mail',
    '/docs',
    'javascript:alert(1)',
    'blob:http://localhost:5173/0198c1f2',
    'http://localhost:5173@elsewhere.test/',
    'http://localhost:8080/',
    'ui/account',
  ])('leads to the account when its address says %s', async (elsewhere) => {
    const ada = await stage.visitor();
    const email = await verified(stage.app);
    await ada.open(`/login?return_to=${encodeURIComponent(elsewhere)}`);
    await ada.submit('Log in', { Email: email, Password: PASSWORD });
    await ada.sees(email);

    expect(ada.page.url()).toBe('http://localhost:3000/ui/account');
  });

  it.each([
    ['/ui/security', 'http://localhost:3000/ui/security'],
    ['/ui/security?from=mail#sessions', 'http://localhost:3000/ui/security?from=mail#sessions'],
    ['/admin/organizations', 'http://localhost:3000/admin/organizations'],
    ['http://localhost:5173/reports?month=11', 'http://localhost:5173/reports?month=11'],
  ])('leads to %s, which is a page of the service or of the application', async (returnTo, address) => {
    const ada = await stage.visitor();
    await ada.open(`/login?return_to=${encodeURIComponent(returnTo)}`);
    await ada.submit('Log in', { Email: await verified(stage.app), Password: PASSWORD });

    await ada.page.waitForURL(address);
  });

  it('leads a user who is logged in straight on', async () => {
    const ada = await stage.visitor();
    await ada.logIn(await verified(stage.app));
    await ada.open('/login?return_to=/ui/security');

    await ada.sees('This one');
  });
});

function sessionsOn({ page }: Visitor): Promise<number> {
  return page.getByRole('region', { name: 'Where you are logged in' }).getByRole('listitem').count();
}
