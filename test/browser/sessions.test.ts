import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedInAs, PASSWORD, verified } from '../support/accounts.js';
import { linkIn } from '../support/mails.js';
import { foundOrg } from '../support/orgs.js';
import { until } from '../support/until.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

/** Once `isHolding`, the next answer with a list of sessions waits for `release()`. */
const HOLD_A_LIST = `{
  const send = fetch;
  globalThis.isHolding = globalThis.isHeld = false;
  globalThis.fetch = async (url, request) => {
    const answer = await send(url, request);
    if (isHolding && url.includes('/sessions?')) {
      isHolding = false;
      isHeld = true;
      await new Promise((resolve) => {
        globalThis.release = resolve;
      });
    }
    return answer;
  };
}`;

/** Resolves once the page has drawn what the held answer changes. */
const RELEASE_AND_DRAW = `new Promise((drawn) => {
  release();
  setTimeout(() => requestAnimationFrame(() => setTimeout(drawn)));
})`;

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
    await laptop.sees('1 session has ended.');
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

describe('a list that is asked for twice', () => {
  it('shows the later answer, also where the earlier one comes after it', async () => {
    const email = await verified(stage.app);
    for (const system of ['iPhone', 'Android'])
      await stage.app
        .browser({ 'user-agent': `Mozilla/5.0 (${system}) Firefox/140.0` })
        .post('/auth/login', { email, password: PASSWORD });
    const laptop = await stage.visitor();
    await laptop.page.addInitScript(HOLD_A_LIST);
    await laptop.logIn(email);
    await laptop.follow('Security');
    await laptop.sees('This one');
    await laptop.hasLoaded();
    await laptop.page.evaluate('isHolding = true');
    await laptop.press('Log out Firefox on iPhone');
    await until(() => laptop.page.evaluate('isHeld'));
    await laptop.press('Log out Firefox on Android');
    await laptop.sees('That session has ended.');
    expect(await sessionsOn(laptop)).toBe(1);
    await laptop.page.evaluate(RELEASE_AND_DRAW);

    expect(await sessionsOn(laptop)).toBe(1);
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

describe('another user who logs in, in another tab', () => {
  it('sees nothing of the user before in this one', async () => {
    const { admin } = await foundOrg(stage.app, 'Analytical');
    const tab = await stage.visitor();
    await tab.logIn(admin.email);
    await tab.sees('Analytical');
    const other = await tab.inNewTab();
    const email = freshAddress();
    await other.open('/signup');
    await other.submit('Sign up', { Email: email, Password: PASSWORD, Organization: 'Differential' });
    await other.sees('Check your email');
    await other.open(linkIn(await stage.app.mailbox.last(email)));
    await other.submit('Confirm my address');
    await other.sees('Differential');

    await tab.sees('Differential');
    expect(await tab.text()).not.toContain('Analytical');
  });
});

describe('a message for the next page', () => {
  it('is not kept for the page after an application at another origin', async () => {
    const withApplication = await Stage.inDev({ SVC_CORS_ORIGINS: 'http://localhost:5173' });
    const ada = await withApplication.visitor();
    const email = freshAddress();
    await ada.open('/signup');
    await ada.submit('Sign up', { Email: email, Password: PASSWORD });
    await ada.sees('Check your email');
    await ada.open(linkIn(await withApplication.app.mailbox.last(email)));
    await ada.submit('Confirm my address');
    await ada.page.waitForURL('http://localhost:5173/');
    await ada.page.context().clearCookies();
    await ada.open('/login');
    await ada.sees('Forgot your password?');

    expect(await ada.text()).not.toContain('Your address is confirmed');
    await withApplication.stop();
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

describe('recent activity', () => {
  it('says to whom an admin did something', async () => {
    const root = await loggedInAs(stage.app, 'sys_admin');
    const [grace, gone] = [await loggedInAs(stage.app, 'member'), await loggedInAs(stage.app, 'member')];
    await root.patch(`/users/${grace.id}`, { disabled: true });
    await root.patch(`/users/${gone.id}`, { disabled: true });
    await stage.app.database.rows('DELETE FROM users WHERE id = $1', [gone.id]);
    const visitor = await stage.visitor();
    await visitor.logIn(root.email);
    await visitor.open('/security');

    await visitor.sees(`Account: ${grace.email}`);
    await visitor.sees(`Account: deleted, ${gone.id.slice(0, 8)}`);
    expect(await activityOf(visitor, 'Account disabled')).toEqual([
      `Account disabled\nAccount: deleted, ${gone.id.slice(0, 8)}`,
      `Account disabled\nAccount: ${grace.email}`,
    ]);
    expect(await activityOf(visitor, 'Logged in')).toContain('Logged in');
  });

  it('says it to the admin of an organization, who does not learn who is no member', async () => {
    const org = await foundOrg(stage.app);
    await org.admin.patch(`/orgs/${org.id}/members/${org.readonly.id}`, { role: 'member' });
    await org.admin.delete(`/orgs/${org.id}/members/${org.member.id}`);
    const ada = await stage.visitor();
    await ada.logIn(org.admin.email);
    await ada.open('/security');

    await ada.sees(`Account: ${org.readonly.email}`);
    await ada.sees(`Account: no member, ${org.member.id.slice(0, 8)}`);
    expect(await ada.text()).not.toContain(org.member.email);
  });
});

/** The rows of an act in the list of the user's activity. */
async function activityOf(visitor: Visitor, act: string): Promise<string[]> {
  const rows = visitor.find('region', 'Recent activity').getByRole('rowheader');
  return (await visitor.texts(rows)).filter((text) => text.includes(act));
}

function sessionsOn(visitor: Visitor): Promise<number> {
  return visitor.find('region', 'Where you are logged in').getByRole('listitem').count();
}
