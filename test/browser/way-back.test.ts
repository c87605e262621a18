import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verified } from '../support/accounts.js';
import { CONSOLE, orgAdmin } from './console.js';
import { looksRight } from './looks.js';
import { Stage } from './stage.js';

const BACK = 'Back to Analytical';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev({ SVC_PRODUCT_NAME: 'Analytical' });
});
afterAll(() => stage.stop());

describe('a page of the account that the product links to', () => {
  it('leads back there, over the login and other pages too, with the keyboard alone', async () => {
    const ada = await stage.visitor({ hasMouse: false });
    const email = await verified(stage.app);
    await ada.logIn(email);
    await ada.open(`/security?${new URLSearchParams({ return_to: 'http://localhost:5173/settings?tab=2' })}`);
    await ada.sees(BACK);
    await ada.hasLoaded();
    await looksRight(ada, 'security-way-back');
    await ada.follow('Account');
    await ada.arrivesAt('/ui/account');
    await ada.hasLoaded();
    await ada.follow(BACK);

    await ada.arrivesAt('http://localhost:5173/settings?tab=2');
  });

  it('leads back to the console too, from which an admin came to set a second factor up', async () => {
    const ada = await stage.visitor();
    await ada.logIn(await orgAdmin(stage, 'Initech'));
    await ada.open(`${CONSOLE}/organization`);
    await ada.follow('Set one up: a second factor');
    await ada.sees('Second step at login');
    await ada.follow('Account');
    await ada.arrivesAt('/ui/account');
    await ada.hasLoaded();
    await ada.follow('Back');

    await ada.arrivesAt('/admin/organization');
  });

  it('leads to no place that the settings do not name, and from one user to no place of another', async () => {
    const ada = await stage.visitor();
    const email = await verified(stage.app);
    await ada.logIn(email);
    for (const elsewhere of ['http://elsewhere.test/', '//elsewhere.test', 'javascript:alert(1)']) {
      await ada.open(`/security?${new URLSearchParams({ return_to: elsewhere })}`);
      await ada.sees('This one');
      expect(await ada.text()).not.toContain('Back');
    }

    await ada.open('/account?return_to=http://localhost:5173/of-ada');
    await ada.sees(BACK);
    await ada.logOut();
    await ada.sees('You are logged out.');
    await ada.logIn(await verified(stage.app));
    expect(await ada.text()).not.toContain(BACK);
  });
});
