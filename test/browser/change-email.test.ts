import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { linkIn } from '../support/mails.js';
import { looksRight } from './looks.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev();
});
afterAll(() => stage.stop());

/** A user who has asked to change to another address, and the link in the mail there. */
async function changing() {
  const [owner, newEmail] = [await loggedIn(stage.app), freshAddress()];
  await owner.post('/users/me/email', { new_email: newEmail, current_password: PASSWORD });
  return { email: owner.email, newEmail, link: linkIn(await stage.app.mailbox.last(newEmail)) };
}

describe('a change of address', () => {
  it('is asked for on the page of the account', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('400 /users/me/email', '400 /users/me/email/confirm');
    const newEmail = freshAddress();
    await ada.logIn(await verified(stage.app));
    await ada.press('Change your email address');
    await ada.submit('Send a link there', { 'New email': newEmail, 'Your password': 'not the password' });
    await ada.sees('This password is not correct.');
    await ada.submit('Send a link there', { 'Your password': PASSWORD });
    await ada.sees(`We have sent a link to ${newEmail}`);

    await ada.open(linkIn(await stage.app.mailbox.last(newEmail)));
    await ada.submit('Move my account');
    await ada.sees('Your account has its new address.');
    await ada.sees(newEmail);

    await ada.open('/confirm-email?token=used');
    await ada.submit('Move my account');
    await ada.sees('This link is no longer valid');
    expect(await ada.text()).not.toContain('moves to the address at which you got this link');
  });

  it('is finished with the code of the mail on the page of the account', async () => {
    const ada = await stage.visitor();
    const newEmail = freshAddress();
    await ada.logIn(await verified(stage.app));
    await ada.press('Change your email address');
    await ada.submit('Send a link there', { 'New email': newEmail, 'Your password': PASSWORD });
    await ada.sees('Not confirmed yet. Open the link that we sent there');
    await ada.press('Enter code');
    await ada.submit('Continue', { 'Code from the email': await stage.app.mailbox.code(newEmail) });

    await ada.sees('Your account has its new address.');
    expect(await ada.text()).not.toContain('Not confirmed');
  });

  it('is shown while it waits, and called off with the keyboard alone, which voids the link', async () => {
    const ada = await stage.visitor({ hasMouse: false });
    ada.expectRefusal('400 /users/me/email/confirm');
    const { email, newEmail, link } = await changing();
    await ada.logIn(email);
    await ada.sees('Not confirmed yet. Open the link that we sent there');
    await ada.sees(newEmail);
    await looksRight(ada, 'account-new-email');
    await ada.press('Cancel the change of your email address');
    await ada.sees('Your account keeps its address.');
    expect(await ada.text()).not.toContain(newEmail);

    await ada.open(link);
    await ada.submit('Move my account');
    await ada.sees('This link is no longer valid');
  });

  it('is confirmed by its link after a login', async () => {
    const ada = await stage.visitor();
    const { email, newEmail, link } = await changing();

    await ada.open(link);
    await ada.sees('Please log in.');
    await ada.submit('Log in', { Email: email, Password: PASSWORD });
    await ada.submit('Move my account');
    await ada.sees('Your account has its new address.');

    await ada.sees(newEmail);
  });

  it('can be confirmed once the service answers again', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('404 /users/me');
    const { email, link } = await changing();
    await ada.logIn(email);
    await ada.page.route('**/users/me', (route) => route.fulfill({ status: 404, body: '' }));
    await ada.open(link);
    await ada.sees('The service cannot be reached.');
    await ada.page.unroute('**/users/me');
    await ada.press('Try again');
    await ada.submit('Move my account');

    await ada.sees('Your account has its new address.');
  });

  it('is not confirmed by a user in another account, who reads what that means', async () => {
    const charles = await stage.visitor();
    charles.expectRefusal('403 /users/me/email/confirm');
    const { email, newEmail, link } = await changing();
    const own = await verified(stage.app);
    await charles.logIn(own);

    await charles.open(link);
    await charles.submit('Move my account');
    await charles.sees('this link is for another account');
    await charles.sees(own);

    await charles.submit('Log in to the other account');
    await charles.sees('Please log in.');
    await charles.submit('Log in', { Email: email, Password: PASSWORD });
    await charles.submit('Move my account');
    await charles.sees(newEmail);
  });
});
