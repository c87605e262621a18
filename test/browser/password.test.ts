import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activeSessions, loggedInAs, PASSWORD, verified } from '../support/accounts.js';
import { linkIn } from '../support/mails.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev();
});
afterAll(() => stage.stop());

describe('a known password', () => {
  it('is replaced on the page of the account, and the user stays logged in', async () => {
    const ada = await stage.visitor();
    const email = await verified(stage.app);
    await ada.logIn(email);
    await ada.follow('Security');
    await ada.press('Change your password');
    await ada.submit('Set password', {
      'Current password': PASSWORD,
      'New password': 'another long pass phrase',
    });
    await ada.sees('Your new password is set');
    await ada.logOut();
    await ada.sees('You are logged out.');

    await ada.logIn(email, 'another long pass phrase');
  });
});

describe('a forgotten password', () => {
  it('is replaced through the mailed link, and the new one logs in', async () => {
    const ada = await stage.visitor();
    const email = await verified(stage.app);
    await ada.open('/login');
    await ada.follow('Forgot your password?');
    await ada.submit('Send me a link', { Email: email });
    await ada.sees('a link is on its way');

    await ada.open(linkIn(await stage.app.mailbox.last(email)));
    await ada.sees(email);
    expect(await ada.page.locator('form input[autocomplete="username"]').inputValue()).toBe(email);
    await ada.submit('Set password', { 'New password': 'another long pass phrase' });
    await ada.sees('Your new password is set');
    expect(ada.path).toBe('/ui/login');
    await ada.field('Password').and(ada.page.locator(':focus')).waitFor();
    expect(await ada.field('Email').inputValue()).toBe(email);
    await ada.page.keyboard.type('another long pass phrase');
    await ada.page.keyboard.press('Enter');

    await ada.sees('Your account');
    await ada.sees(email);
    await ada.logOut();
    await ada.sees('You are logged out.');
    expect(await ada.field('Email').inputValue()).toBe('');
  });

  it('is replaced with the code of the mail where it was asked for', async () => {
    const ada = await stage.visitor();
    const email = await verified(stage.app);
    await ada.open('/forgot-password');
    await ada.submit('Send me a link', { Email: email });
    await ada.sees('a link is on its way');
    await ada.submit('Continue', { 'Code from the email': await stage.app.mailbox.code(email) });
    await ada.sees('For the account');
    await ada.sees(email);
    await ada.submit('Set password', { 'New password': 'another long pass phrase' });

    await ada.sees('Your new password is set');
    expect(ada.path).toBe('/ui/login');
    await ada.logIn(email, 'another long pass phrase');
  });

  it('fills its address in for nobody who comes after another login than by password', async () => {
    const ada = await stage.visitor();
    const email = await verified(stage.app);
    await stage.app.browser().post('/password/forgot', { email });
    await ada.open(linkIn(await stage.app.mailbox.last(email)));
    await ada.submit('Set password', { 'New password': 'another long pass phrase' });
    await ada.sees('Your new password is set');
    const credentials = { email: await verified(stage.app), password: PASSWORD };
    await ada.page.evaluate(
      (body) =>
        fetch('/auth/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
      JSON.stringify(credentials),
    );

    await ada.open('/login');
    await ada.sees('Your account');
    await ada.logOut();

    await ada.sees('You are logged out.');
    expect(await ada.field('Email').inputValue()).toBe('');
  });

  it('fills no address that stands in a link', async () => {
    const ada = await stage.visitor();
    await ada.open('/login?email=mallory@example.com&login_hint=mallory@example.com');
    await ada.sees('No account yet?');

    expect(await ada.field('Email').inputValue()).toBe('');
  });

  it('leads on, after the login, to where the link says: that of the first admin to the console', async () => {
    const ada = await stage.visitor();
    const { email, id } = await loggedInAs(stage.app, 'sys_admin');
    await stage.app.browser().post('/password/forgot', { email });
    const link = linkIn(await stage.app.mailbox.last(email));
    await ada.open(`${link}&return_to=/admin`);
    await ada.submit('Set password', { 'New password': 'another long pass phrase' });
    await ada.sees('Your new password is set');
    expect(await activeSessions(stage.app, { id })).toBe(0);
    await ada.submit('Log in', { Password: 'another long pass phrase' });

    await ada.arrivesAt('/admin');
    await ada.sees('Organizations');
  });

  it('cannot be replaced with a link that was used', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('400 /password/reset/preview');
    const email = await verified(stage.app);
    await ada.open('/forgot-password');
    await ada.submit('Send me a link', { Email: email });
    await ada.sees('a link is on its way');
    const link = linkIn(await stage.app.mailbox.last(email));
    await ada.open(link);
    await ada.submit('Set password', { 'New password': 'another long pass phrase' });
    await ada.sees('Your new password is set');

    await ada.open(link);

    await ada.sees('This link is no longer valid');
    await ada.follow('Send me a new link');
    await ada.sees('Forgot your password?');

    await ada.logIn(email, 'another long pass phrase');
  });
});
