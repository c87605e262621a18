import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, verified } from '../support/accounts.js';
import { Stage } from './stage.js';

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

    await laptop.follow('Sessions');
    await laptop.sees('(this one)');
    expect(await laptop.page.getByRole('listitem').count()).toBe(2);
    await laptop.submit('Log out everywhere else');
    await laptop.sees('Sessions that have ended: 1.');
    expect(await laptop.page.getByRole('listitem').count()).toBe(1);

    await phone.follow('Organization');
    await phone.sees('Please log in.');
    expect(phone.path).toBe('/login?return_to=%2Forganization');
  });

  it('log out one by one', async () => {
    const email = await verified(stage.app);
    const [laptop, phone] = await Promise.all([stage.visitor(), stage.visitor()]);
    await laptop.logIn(email);
    await phone.logIn(email);

    await laptop.follow('Sessions');
    await laptop.submit('Log out');
    await laptop.sees('That session has ended.');

    await phone.follow('Sessions');
    await phone.sees('Please log in.');
  });
});

describe('two tabs of one browser', () => {
  it('share the session: a logout in one sends the other to the login page, and a login brings it back', async () => {
    const tab = await stage.visitor();
    const email = await verified(stage.app);
    await tab.logIn(email);
    const other = await tab.inNewTab();
    await other.open('/sessions');
    await other.sees('(this one)');

    await tab.submit('Log out');
    await tab.sees('You are logged out.');
    await other.submit('Log out everywhere else');
    await other.sees('Please log in.');

    await other.submit('Log in', { Email: email, Password: PASSWORD });
    await other.sees('(this one)');
    await tab.open('/');
    await tab.sees(email);
  });
});

describe('the login page', () => {
  it.each(['http://elsewhere.test', '//elsewhere.test', '/..//elsewhere.test', 'javascript:alert(1)'])(
    'leads nowhere else, also when its address says %s',
    async (elsewhere) => {
      const ada = await stage.visitor();
      const email = await verified(stage.app);
      await ada.open(`/login?return_to=${encodeURIComponent(elsewhere)}`);
      await ada.submit('Log in', { Email: email, Password: PASSWORD });
      await ada.sees(/Your account|There is no such page/);

      expect(new URL(ada.page.url()).origin).toBe('http://localhost:5173');
    },
  );
});
