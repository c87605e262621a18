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
  it('leads from the form through the mailed link to the account', async () => {
    const ada = await stage.visitor();
    const email = freshAddress();
    await ada.open('/signup');
    await ada.submit('Sign up', { Email: email, Password: PASSWORD, Name: 'Ada' });
    await ada.sees(`We have sent a link to ${email}`);

    await ada.open(linkIn(await stage.app.mailbox.last(email)));
    await ada.submit('Confirm my address');

    await ada.sees('Your account');
    await ada.sees('Your address is confirmed, and you are logged in.');
    expect(await ada.text()).toContain(email);
    expect(ada.path).toBe('/');
  });

  it('asks for the password in another browser than the one that signed up', async () => {
    const phone = await stage.visitor();
    const email = await signedUp(stage.app);
    await phone.open(linkIn(await stage.app.mailbox.last(email)));
    await phone.submit('Confirm my address');

    await phone.sees('This is not the browser that signed up.');
    await phone.submit('Go on', { 'Password of the signup': 'not the password' });
    await phone.sees('Enter the password of this signup, or choose a new one.');
    await phone.submit('Go on', { 'Password of the signup': PASSWORD });

    await phone.sees('Your account');
    expect(await phone.text()).toContain(email);
  });

  it('takes a new password of the owner, where a stranger has signed up', async () => {
    const owner = await stage.visitor();
    const email = await signedUp(stage.app, { password: 'a phrase of the stranger' });
    await owner.open(linkIn(await stage.app.mailbox.last(email)));
    await owner.submit('Confirm my address');

    await owner.submit('Start with a new password', { 'New password': 'password1' });
    await owner.sees('New password is one of the passwords most often used.');
    await owner.submit('Start with a new password', { 'New password': PASSWORD });

    await owner.sees('Your account');
    const password = 'a phrase of the stranger';
    const stranger = await stage.app.browser().post('/auth/login', { email, password });
    expect(stranger.body.code).toBe('InvalidCredentials');
  });

  it('takes a click on the page of the link, not only the link', async () => {
    const scanner = await stage.visitor();
    const email = await signedUp(stage.app);

    await scanner.open(linkIn(await stage.app.mailbox.last(email)));
    await scanner.sees('Confirm your address');

    expect(await stage.app.database.rows('SELECT 1 FROM users WHERE email = $1', [email])).toEqual([]);
  });

  it('says why a password is refused, and marks its field', async () => {
    const ada = await stage.visitor();
    await ada.open('/signup');
    await ada.submit('Sign up', { Email: freshAddress(), Password: 'password1' });

    await ada.sees('Password is one of the passwords most often used.');
    expect(await ada.page.getByLabel('Password').getAttribute('aria-invalid')).toBe('true');
  });
});
