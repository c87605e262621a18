import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verified } from '../support/accounts.js';
import { Stage } from './stage.js';

const ONE_DAY_SECONDS = 24 * 60 * 60;

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev();
});
afterAll(() => stage.stop());

describe('the cookies in dev', () => {
  it('belong to the API alone, out of reach for scripts, and are Lax', async () => {
    const ada = await stage.visitor();
    await ada.logIn(await verified(stage.app));

    const attributes = { domain: 'localhost', path: '/', httpOnly: true, secure: false, sameSite: 'Lax' };
    expect(await ada.cookie()).toMatchObject(attributes);
    expect(await ada.cookie('session_id_device')).toMatchObject(attributes);
    expect(await ada.page.evaluate('document.cookie')).toBe('');
  });

  it('expire when the session does', async () => {
    const ada = await stage.visitor();
    const email = await verified(stage.app);
    const before = Date.now() / 1000;
    await ada.logIn(email);

    const { expires = 0 } = (await ada.cookie()) ?? {};
    expect(expires).toBeGreaterThan(before + ONE_DAY_SECONDS - 1);
    expect(expires).toBeLessThan(Date.now() / 1000 + ONE_DAY_SECONDS + 1);
  });

  it('are deleted at the logout, except that of the device', async () => {
    const ada = await stage.visitor();
    await ada.logIn(await verified(stage.app));
    await ada.logOut();
    await ada.sees('You are logged out.');

    expect(await ada.cookie()).toBeUndefined();
    expect(await ada.cookie('session_id_device')).toBeDefined();
  });
});
