import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD, signedUp } from '../support/accounts.js';
import { linkIn } from '../support/mails.js';
import { looksRight } from './looks.js';
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
    await ada.sees('We have sent a link to');
    await ada.sees(email);
    expect(await ada.find('link', 'See its emails here').getAttribute('href')).toBe(
      'http://localhost:3000/dev/mail',
    );

    await ada.open(linkIn(await stage.app.mailbox.last(email)));
    await ada.submit('Confirm my address');

    await ada.sees('Your address is confirmed, and you are logged in.');
    await ada.sees(email);
    expect(ada.path).toBe('/ui/account');
  });

  it('goes on with the code on the login page too, where the link is asked for again', async () => {
    const ada = await stage.visitor();
    const email = freshAddress();
    ada.expectRefusal('403 /auth/login');
    await ada.open('/signup');
    await ada.submit('Sign up', { Email: email, Password: PASSWORD });
    await ada.sees('We have sent a link');

    await ada.open('/login');
    await ada.submit('Log in', { Email: email, Password: PASSWORD });
    await ada.submit('Send the link again', {});
    await ada.submit('Continue', { 'Code from the email': await stage.app.mailbox.code(email) });

    await ada.sees('Your address is confirmed, and you are logged in.');
  });

  it('goes on with the code of the mail where the form was sent', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('400 /auth/verify-email');
    const email = freshAddress();
    await ada.open('/signup');
    await ada.submit('Sign up', { Email: email, Password: PASSWORD });
    await ada.sees('We have sent a link to');
    const code = await stage.app.mailbox.code(email);
    await ada.submit('Continue', { 'Code from the email': 'AAAA-AAAA' });
    await ada.sees(
      'This code is not correct, or no longer works. Open the link in the newest email instead.',
    );
    await looksRight(ada, 'signup-wrong-code');
    await ada.submit('Continue', { 'Code from the email': ` ${code.toLowerCase().replace('-', ' ')} ` });

    await ada.sees('Your address is confirmed, and you are logged in.');
    expect(ada.path).toBe('/ui/account');
  });

  it('asks for the password in another browser than the one that signed up', async () => {
    const phone = await stage.visitor();
    phone.expectRefusal('400 /auth/verify-email');
    const email = await signedUp(stage.app);
    await phone.open(linkIn(await stage.app.mailbox.last(email)));
    await phone.submit('Confirm my address');

    await phone.sees('You signed up in another browser.');
    await phone.submit('Continue', { 'Password from the signup': 'not the password' });
    await phone.sees('This is not the password that you signed up with.');
    await phone.submit('Continue', { 'Password from the signup': PASSWORD });

    await phone.sees('Your address is confirmed, and you are logged in.');
    await phone.sees(email);
  });

  it('accepts a new password from the owner, where a stranger has signed up', async () => {
    const owner = await stage.visitor();
    owner.expectRefusal('400 /auth/verify-email');
    const email = await signedUp(stage.app, { password: 'a phrase of the stranger' });
    await owner.open(linkIn(await stage.app.mailbox.last(email)));
    await owner.submit('Confirm my address');

    await owner.unfold('I do not know it');
    await owner.submit('Start with a new password', { 'New password': 'password1' });
    await owner.sees('This is one of the most used passwords.');
    await owner.submit('Start with a new password', { 'New password': PASSWORD });

    await owner.sees('Your account');
    const password = 'a phrase of the stranger';
    const stranger = await stage.app.browser().post('/auth/login', { email, password });
    expect(stranger.body.code).toBe('InvalidCredentials');
  });

  it('takes the token out of the address, and keeps it over a reload', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('400 /auth/verify-email');
    const email = await signedUp(stage.app);
    await ada.open(linkIn(await stage.app.mailbox.last(email)));
    await ada.sees('Confirm your address');
    expect(ada.path).toBe('/ui/verify-email');

    await ada.page.reload();
    await ada.submit('Confirm my address');
    await ada.sees('You signed up in another browser.');
  });

  it('needs a click on the page that the link opens', async () => {
    const scanner = await stage.visitor();
    const email = await signedUp(stage.app);

    await scanner.open(linkIn(await stage.app.mailbox.last(email)));
    await scanner.sees('Confirm your address');

    expect(await stage.app.database.rows('SELECT 1 FROM users WHERE email = $1', [email])).toEqual([]);
  });

  it('says why a password is refused, and marks its field', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('400 /auth/signup');
    await ada.open('/signup');
    await ada.submit('Sign up', { Email: freshAddress(), Password: 'password1' });

    await ada.sees('This is one of the most used passwords.');
    const field = ada.field('Password');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    const described = (await field.getAttribute('aria-describedby')) ?? '';
    const [rule, fault] = described.split(' ').map((id) => ada.text(ada.page.locator(`#${id}`)));
    expect(await rule).toBe('At least 8 characters.');
    expect(await fault).toBe('This is one of the most used passwords. Choose something harder to guess.');
    await field.and(ada.page.locator(':focus')).waitFor();
    await ada.submit('Sign up', { Password: '12345678' });
    await ada.sees('one of the most used passwords. Choose something harder to guess.');
    expect((await ada.text()).match(/harder to guess/g)).toHaveLength(1);
    await field.fill(PASSWORD);
    expect(await ada.text()).not.toContain('most often used');
  });

  it('sends the form once, however often the user clicks while the answer is on its way', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('400 /auth/signup');
    await ada.open('/signup');
    await ada.submit('Sign up', { Email: freshAddress(), Password: 'password1' });
    await ada.sees('This is one of the most used passwords.');
    let answer = () => {};
    let sent = 0;
    await ada.page.route('**/auth/signup*', (route) => {
      sent += 1;
      answer = () => void route.continue();
    });
    const asked = ada.page.waitForRequest('**/auth/signup*');
    await ada.submit('Sign up', { Password: PASSWORD });
    await asked;
    await ada.press('Sign up');
    await ada.press('Sign up');

    expect(await ada.find('button', 'Sign up').isVisible()).toBe(true);
    answer();
    await ada.sees('We have sent a link');
    expect(sent).toBe(1);
  });

  it('mails the link again to a user who asks, after the signup or at the login', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('403 /auth/login');
    const email = freshAddress();
    await ada.page.clock.install();
    await ada.open('/signup');
    await ada.submit('Sign up', { Email: email, Password: PASSWORD });
    await ada.sees('We have sent a link');
    await minutesPass(email);
    expect(await ada.find('button', 'Send the link again').count()).toBe(0);
    await ada.page.clock.fastForward(60_000);
    await ada.submit('Send the link again');
    await ada.sees('A new link is on its way to');
    expect(await stage.app.mailbox.to(email)).toHaveLength(2);

    await minutesPass(email);
    await ada.open('/login');
    await ada.submit('Log in', { Email: email, Password: PASSWORD });
    await ada.sees('Confirm your email address before you log in.');
    await ada.submit('Send the link again');
    await ada.sees('We have sent a link to');

    expect(await stage.app.mailbox.to(email)).toHaveLength(3);
    await ada.open(linkIn(await stage.app.mailbox.last(email)));
    await ada.submit('Confirm my address');
    await ada.sees('Your account');
  });

  it('shows what to do next at a link that was used, or is cut off', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('400 /auth/verify-email');
    const email = await signedUp(stage.app);
    const link = linkIn(await stage.app.mailbox.last(email));
    const phone = await stage.visitor();
    phone.expectRefusal('400 /auth/verify-email');
    await phone.open(link);
    await phone.submit('Confirm my address');
    await phone.unfold('I do not know it');
    await phone.submit('Start with a new password', { 'New password': PASSWORD });
    await phone.sees('Your account');

    await ada.open(link);
    await ada.submit('Confirm my address');
    await ada.sees('This link is no longer valid');
    await ada.sees('Already confirmed your address?');
    expect(await ada.find('button').count()).toBe(0);

    await ada.open('/verify-email?token=');
    await ada.submit('Confirm my address');
    await ada.sees('Part of the link is missing. Open it again from the email.');
  });

  it('moves the focus to its messages, so that users see them and screen readers read them out', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('401 /auth/login');
    await ada.open('/login');
    await ada.field('Email').fill(freshAddress());
    await ada.field('Password').fill('not the password');
    await ada.page.keyboard.press('Enter');
    await ada.sees('The email address or the password is not correct.');

    await ada.page.locator(':focus').locator(ada.find('alert')).waitFor();
  });
});

/** Lets so much time pass since the last mail that the next one is sent. */
async function minutesPass(email: string): Promise<void> {
  await stage.app.mailbox.last(email);
  await stage.app.database.rows(
    "UPDATE signups SET mail_asked_at = mail_asked_at - interval '2 minutes' WHERE email = $1",
    [email],
  );
}
