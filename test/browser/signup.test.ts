import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD, signedUp } from '../support/accounts.js';
import { linkIn } from './link.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev();
});
afterAll(() => stage.stop());

describe('signing up', () => {
  it('leads from the form through the mailed link and the login to the account', async () => {
    const ada = await stage.visitor();
    const email = freshAddress();
    await ada.open('/signup');
    await ada.submit('Sign up', { Email: email, Password: PASSWORD, Name: 'Ada' });
    await ada.sees(`We have sent a link to ${email}`);

    await ada.open(linkIn(await stage.app.mailbox.last(email)));
    await ada.submit('Confirm my address');
    await ada.sees('Your address is confirmed');
    await ada.submit('Log in', { Email: email, Password: PASSWORD });

    await ada.sees('Your account');
    expect(await ada.text()).toContain(email);
    expect(ada.path).toBe('/');
  });

  it('takes a click on the page of the link, not only the link', async () => {
    const scanner = await stage.visitor();
    const email = await signedUp(stage.app);

    await scanner.open(linkIn(await stage.app.mailbox.last(email)));
    await scanner.sees('Confirm your address');

    expect(
      await stage.app.database.value('SELECT email_verified_at FROM users WHERE email = $1', [email]),
    ).toBeNull();
  });

  it('says why a password is refused, and marks its field', async () => {
    const ada = await stage.visitor();
    await ada.open('/signup');
    await ada.submit('Sign up', { Email: freshAddress(), Password: 'password1' });

    await ada.sees('Password is one of the passwords most often used.');
    expect(await ada.page.getByLabel('Password').getAttribute('aria-invalid')).toBe('true');
  });
});
