import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verified } from '../support/accounts.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev();
});
afterAll(() => stage.stop());

describe('after a logout', () => {
  it('going back and forward shows nothing of the account', async () => {
    const ada = await stage.visitor();
    const email = await verified(stage.app);
    await ada.logIn(email);
    await ada.follow('Security');
    await ada.sees('This one');
    await ada.follow('Account');
    await ada.sees(email);
    await ada.logOut();
    await ada.sees('You are logged out.');

    await ada.page.goBack();
    await ada.sees('Please log in.');
    expect(await ada.text()).not.toContain('127.0.0.1');
    await ada.page.goForward();
    await ada.sees('Forgot your password?');
    expect(await ada.text()).not.toContain(email);
  });

  it('another tab leads to the login by itself', async () => {
    const ada = await stage.visitor();
    const email = await verified(stage.app);
    await ada.logIn(email);
    const tab = await ada.inNewTab();
    await tab.open('/account');
    await tab.sees(email);
    await tab.hasLoaded();
    await ada.logOut();

    await tab.sees('Please log in.');
    expect(await tab.text()).not.toContain(email);
  });

  it('a page that the browser has kept alive shows nothing of the account', async () => {
    const ada = await stage.visitor();
    const email = await verified(stage.app);
    await ada.logIn(email);
    const tab = await ada.inNewTab();
    await tab.open('/account');
    await tab.sees(email);
    await tab.hasLoaded();
    await tab.page.evaluate(
      `addEventListener('pageshow', ({ persisted }) =>
        localStorage.setItem('atReturn', JSON.stringify({ persisted, text: document.body.innerText })))`,
    );
    await tab.open('http://elsewhere.test');
    await stage.app.database.rows('UPDATE sessions SET invalidated_at = now()');

    // It is there at once: nothing loads.
    await tab.page.goBack({ waitUntil: 'commit' });

    await tab.sees('Please log in.');
    const atReturn = await tab.page.evaluate<string>(`localStorage.getItem('atReturn')`);
    expect(JSON.parse(atReturn)).toEqual({ persisted: true, text: '' });
  });
});
