import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, giveRole, PASSWORD, signedUp, verified } from '../support/accounts.js';
import { appOwner } from '../support/authenticator-app.js';
import { IdentityProvider } from '../support/identity-provider.js';
import { linkIn } from '../support/mails.js';
import { foundOrg, place } from '../support/orgs.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { allow, faultsOf, saysAll } from './all-said.js';
import { CONSOLE } from './console.js';
import { inPage } from './looks.js';
import { Stage } from './stage.js';
import { age, VirtualAuthenticator } from './virtual-authenticator.js';
import type { Visitor } from './visitor.js';

let provider: IdentityProvider;
let stripe: StripeStandIn;
let stage: Stage;
beforeAll(async () => {
  [provider, stripe] = await Promise.all([IdentityProvider.start(), StripeStandIn.start()]);
  stripe.account.addPrice({ id: 'price_monthly' });
  stage = await Stage.inDev({
    ...provider.variables,
    ...stripe.variables,
    SVC_IDP_TITLE: 'Example ID',
    SVC_EMAIL_CODE_LOGIN: 'on',
    SVC_PRODUCT_NAME: 'Analytical',
    SVC_SUPPORT_EMAIL: 'help@example.com',
    SVC_TERMS_URL: 'https://example.com/terms',
    SVC_PRIVACY_URL: 'https://example.com/privacy',
  });
});
afterAll(async () => {
  await stage.stop();
  await Promise.all([stripe.stop(), provider.stop()]);
});

describe('a look at a page', () => {
  it.each([
    ['English words', `document.querySelector('h1').append(' and more')`, ['h1 says and more']],
    ['an English label', `document.querySelector('h1').ariaLabel = 'More'`, ['h1 aria-label says More']],
    ['the English title', `document.title = 'Log in – Analytical'`, ['the title says Log in – Analytical']],
    ['a name, a day and a number', `document.querySelector('h1').append(' Analytical, Nov 27, 12.5')`, []],
    [
      'what is too wide',
      `document.querySelector('h1').style.minWidth = '400px'`,
      [/^the page is \d+ wide at 320$/],
    ],
  ])('finds no more and no less wrong with %s', async (_, change, faults) => {
    const eve = await stage.visitor({ language: 'en-XA' });
    await eve.open('/login');
    await eve.sees('No account yet?');
    await inPage(eve.page, `${change}; null`);

    const found = await faultsOf(eve.page);
    expect(found).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });
});

describe('on a narrow phone in a language that is a third longer, every page takes all of its words from the catalogue', () => {
  it('login', async () => {
    const eve = await visitor();
    eve.expectRefusal('401 /auth/login', '403 /auth/login');
    await eve.open('/login');
    await eve.sees('No account yet?');
    await saysAll(eve, 'login');
    await eve.submit('Log in', { Email: freshAddress(), Password: 'not the password' });
    await eve.page.locator('[data-general]').waitFor();
    await saysAll(eve, 'login-wrong');
    for (const reason of ['access_denied', 'account_conflict', 'invitation_invalid', 'unheard-of']) {
      await eve.open(`/login?error=${reason}`);
      await eve.sees('No account yet?');
      await saysAll(eve, `login-${reason}`);
    }
    await eve.submit('Log in', { Email: await signedUp(stage.app), Password: PASSWORD });
    await eve.sees('Send the link again');
    await saysAll(eve, 'login-unverified');
    await eve.submit('Send the link again');
    await eve.sees('We have sent a link to');
    await saysAll(eve, 'login-resent');

    const ada = await loggedIn();
    await ada.open('/login?error=account_conflict');
    await ada.sees('You are still logged in as');
    await saysAll(ada, 'login-still');
    await ada.press('Log out of Analytical');
    await ada.sees('You are logged out.');
    await saysAll(ada, 'logged-out');
  });

  it('signup', async () => {
    const ada = await visitor();
    await ada.open('/signup');
    await ada.sees('Sign up with Example ID');
    await saysAll(ada, 'signup');
    await ada.submit('Sign up', { Email: freshAddress(), Password: PASSWORD });
    await ada.sees('We have sent a link');
    await saysAll(ada, 'signup-sent');
  });

  it('verify-email', async () => {
    const phone = await visitor();
    phone.expectRefusal('400 /auth/verify-email');
    await phone.open(linkIn(await stage.app.mailbox.last(await signedUp(stage.app))));
    await phone.sees('One click, and you are logged in.');
    await saysAll(phone, 'verify-email');
    await phone.submit('Confirm my address');
    await phone.sees('You signed up in another browser.');
    await phone.unfold('I do not know it');
    await saysAll(phone, 'verify-email-elsewhere');
    await phone.submit('Continue', { 'Password from the signup': 'not the password' });
    await phone.sees('This is not the password that you signed up with.');
    await phone.open('/verify-email?token=used');
    await phone.submit('Confirm my address');
    await phone.sees('This link is no longer valid');
    await saysAll(phone, 'verify-email-dead');
  });

  it('login-code', async () => {
    const ada = await visitor();
    await ada.open('/login-code');
    await ada.sees('We will email you a code and a link.');
    await saysAll(ada, 'login-code');
    const email = await verified(stage.app);
    await ada.submit('Email me a code', { Email: email });
    await ada.sees('a code is on its way');
    await saysAll(ada, 'login-code-sent');
    const phone = await visitor();
    phone.expectRefusal('400 /auth/email-code/login');
    allow(await stage.app.mailbox.code(email));
    await phone.open(linkIn(await stage.app.mailbox.last(email)));
    await phone.sees('One click, and you are logged in.');
    await saysAll(phone, 'login-code-link');
    await phone.press('Log in');
    await phone.sees('only in the browser where you asked for it.');
    await saysAll(phone, 'login-code-elsewhere');
  });

  it('forgot-password, reset-password and secure-account', async () => {
    const ada = await visitor();
    ada.expectRefusal('400 /password/reset/preview', '400 /auth/secure-account');
    await ada.open('/forgot-password');
    await ada.sees('Forgot your password?');
    await saysAll(ada, 'forgot-password');
    const email = await verified(stage.app);
    await ada.submit('Send me a link', { Email: email });
    await ada.sees('a link is on its way');
    await saysAll(ada, 'forgot-password-sent');
    await ada.open(linkIn(await stage.app.mailbox.last(email)));
    await ada.sees('Set a new password');
    await ada.sees('For the account');
    await saysAll(ada, 'reset-password');
    await ada.open('/reset-password?token=used');
    await ada.sees('A link works once');
    await saysAll(ada, 'reset-password-dead');
    await ada.open('/secure-account?token=used');
    await ada.sees('Was this not you?');
    await saysAll(ada, 'secure-account');
    await ada.press('Secure my account');
    await ada.sees('This link is no longer valid');
    await saysAll(ada, 'secure-account-dead');
  });

  it('confirm-email', async () => {
    const ada = await loggedIn();
    ada.expectRefusal('400 /users/me/email/confirm');
    await ada.open('/confirm-email?token=used');
    await ada.sees('moves to the address');
    await saysAll(ada, 'confirm-email');
    await ada.submit('Move my account');
    await ada.sees('This link is no longer valid');
    await saysAll(ada, 'confirm-email-dead');
  });

  it('accept-invitation', async () => {
    const org = await foundOrg(stage.app);
    const [newcomer, owner] = [freshAddress(), await verified(stage.app)];
    for (const email of [newcomer, owner])
      await org.admin.post(`/orgs/${org.id}/invitations`, { email, role: 'member' });
    const charles = await visitor();
    charles.expectRefusal('400 /invitations/preview');
    await charles.open(linkIn(await stage.app.mailbox.last(newcomer)));
    await charles.sees('Join with');
    await saysAll(charles, 'accept-invitation-new');
    await charles.press('Decline');
    await charles.sees('Decline this invitation?');
    await saysAll(charles, 'accept-invitation-decline');
    const link = linkIn(await stage.app.mailbox.last(owner));
    const other = await loggedIn();
    await other.open(link);
    await other.sees('Log out and continue');
    await saysAll(other, 'accept-invitation-other');
    await charles.open(link);
    await charles.sees('Log in to join');
    await saysAll(charles, 'accept-invitation-login');
    await charles.follow('Log in to join');
    await charles.submit('Log in', { Email: owner, Password: PASSWORD });
    await charles.sees('Join with my account');
    await saysAll(charles, 'accept-invitation-self');
    await charles.open('/accept-invitation?token=used');
    await charles.sees('ask the person who invited you');
    await saysAll(charles, 'accept-invitation-dead');
  });

  it('second-step', async () => {
    const owner = await appOwner(stage.app);
    const ada = await visitor();
    ada.expectRefusal('400 /auth/pending-login/second-factor');
    await ada.open('/login');
    await ada.submit('Log in', { Email: owner.email, Password: PASSWORD });
    await ada.sees('Code from your authenticator app');
    await ada.unfold('Use a recovery code');
    await saysAll(ada, 'second-step');
    await ada.submit('Log in', { 'Code from your authenticator app': owner.app.wrongCode() });
    await ada.sees('This code is not correct');
    await saysAll(ada, 'second-step-wrong');
    await ada.submit('Log in with this code', { 'Recovery code': owner.recoveryCodes[0] ?? '' });
    await ada.sees('Did you lose the app?');
    await saysAll(ada, 'second-step-lost');
  });

  it('second-step, where a factor has to be set up first', async () => {
    const email = await verified(stage.app);
    const { id } = await foundOrg(stage.app);
    await stage.app.database.rows(
      'UPDATE organizations SET second_factor_required_at = now() WHERE id = $1',
      [id],
    );
    await place(stage.app.database, email, id);
    const ada = await visitor();
    await ada.open('/login');
    await ada.submit('Log in', { Email: email, Password: PASSWORD });
    await ada.sees('Make your login safer');
    await saysAll(ada, 'second-step-set-up');
    await ada.press('I have an app');
    await ada.page.locator('.qr path[d]').waitFor();
    await saysAll(ada, 'second-step-app');
  });

  it('account', async () => {
    const email = await verified(stage.app);
    provider.accounts.set('ada', { sub: 'ada', email, email_verified: true });
    const ada = await visitor();
    await ada.open('/login');
    await ada.press('Continue with Example ID');
    await ada.submit('Continue', { 'Who are you?': 'ada' });
    await ada.sees('Unlink');
    await saysAll(ada, 'account');
    for (const [button, title] of [
      ['Change your name', 'Your name'],
      ['Change your email address', 'Your account keeps its current address'],
      ['Create an organization', 'Name of the organization'],
      ['Unlink Example ID', 'You can then log in with'],
      ['Delete your account', 'cannot be brought back'],
    ] as const)
      await saysAllInDialog(ada, button, title);
    await ada.press('Create an organization');
    await ada.submit('Create', { 'Name of the organization': 'Analytical' });
    await ada.sees('You have created Analytical');
    await ada.sees('Leave');
    await saysAll(ada, 'account-founded');
    await saysAllInDialog(ada, 'Leave Analytical', 'You keep your account');
    await ada.press('Change your email address');
    await ada.submit('Send a link there', { 'New email': freshAddress(), 'Your password': PASSWORD });
    await ada.sees('Not confirmed yet.');
    await saysAll(ada, 'account-moving');
  });

  it('security', async () => {
    const email = await verified(stage.app);
    const ada = await visitor();
    ada.expectRefusal('403 /users/me/passkeys/{id}', '400 /auth/step-up');
    await VirtualAuthenticator.in(ada.page);
    await ada.logIn(email);
    await stage.app.browser().post('/auth/login', { email, password: PASSWORD });
    await ada.open('/security');
    await ada.sees('You have no passkey yet.');
    await ada.sees('Logged in');
    await saysAll(ada, 'security-bare');
    await saysAllInDialog(ada, 'Change your password', 'Current password');
    await saysAllInDialog(ada, 'Log out everywhere else', 'has to log in again');
    await ada.press('Add a passkey');
    await saysAll(ada, 'security-add-passkey');
    await ada.submit('Add it', { 'Name of the new passkey': 'Laptop' });
    await ada.sees('You can now log in with the passkey Laptop.');
    await saysAll(ada, 'security-passkey');
    await saysAllInDialog(ada, 'Rename Laptop', 'Rename the passkey');
    await ada.press('Add an authenticator app');
    await ada.page.locator('.qr path[d]').waitFor();
    await saysAll(ada, 'security-app');
    await ada.follow('Cancel');
    await age(stage, email);
    await ada.press('Delete Laptop');
    await saysAll(ada, 'security-delete-passkey');
    await ada.press('Delete it');
    await ada.sees('Confirm that it is you');
    await saysAll(ada, 'step-up');
    await ada.submit('Confirm', { 'Your password': 'not the password' });
    await ada.page.locator('.fault').waitFor();
    await saysAll(ada, 'step-up-wrong');
    await ada.press('Cancel');
    await ada.sees('Nothing has changed, because');
    await saysAll(ada, 'step-up-canceled');
  });

  it('security of a user with every factor', async () => {
    const owner = await appOwner(stage.app);
    const ada = await visitor();
    await ada.open('/login');
    await ada.submit('Log in', { Email: owner.email, Password: PASSWORD });
    await ada.submit('Log in', { 'Code from your authenticator app': owner.app.code() });
    await ada.sees(owner.email);
    await ada.open('/security');
    await ada.sees('10 left');
    await ada.sees('Logged in');
    await saysAll(ada, 'security');
    await saysAllInDialog(ada, 'Remove the authenticator app', 'Do this before you change');
    await ada.press('Get new recovery codes');
    await ada.sees('You get ten.');
    await saysAll(ada, 'make-recovery-codes');
    await ada.press('Get new codes');
    await ada.page.locator('.codes').waitFor();
    await saysAll(ada, 'recovery-codes');
    await ada.tick('I have kept the codes in a safe place');
    await ada.press('Continue');
    await ada.sees('You have ten new recovery codes.');
    await saysAll(ada, 'security-renewed');
  });

  it('billing, and what does not load', async () => {
    const ada = await loggedIn();
    await ada.open('/billing?price_id=price_monthly');
    await ada.sees('You have no subscription.');
    await ada.hasLoaded();
    await saysAll(ada, 'billing-none');
    await ada.open('/billing?checkout=canceled');
    await ada.sees('You went back before paying.');
    await saysAll(ada, 'billing-turned-back');
    await ada.page.route('**/users/me/identities*', (route) => route.fulfill({ status: 404, body: '' }));
    ada.expectRefusal('404 /users/me/identities');
    await ada.open('/account');
    await ada.page.locator('.failed').waitFor();
    await saysAll(ada, 'account-failed');
  });
});

describe('and so do the screens of the console that have no list', () => {
  it('overview', async () => {
    const root = await admin('sys_admin');
    await root.open(CONSOLE);
    await root.sees('Recent events');
    await root.sees('There is only one system admin.');
    await root.hasLoaded();
    await saysAll(root, 'console-overview');
    await root.press('Menu');
    await saysAll(root, 'console-menu');
  });

  it('system', async () => {
    const root = await admin('sys_admin');
    await root.open(`${CONSOLE}/system`);
    await root.sees('It has not run yet.');
    await saysAll(root, 'console-system');
    await root.press('Run it now: the cron');
    await root.sees('The cron ran for');
    await root.unfold('settings have their default');
    await saysAll(root, 'console-system-all');
  });

  it('one that is for others', async () => {
    const ada = await loggedIn();
    await ada.open(CONSOLE);
    await ada.sees('There is nothing for you to administer.');
    await saysAll(ada, 'console-refused');
  });
});

async function admin(role: string): Promise<Visitor> {
  const ada = await visitor();
  const email = await verified(stage.app);
  await giveRole(stage.app.database, email, role);
  await ada.logIn(email);
  return ada;
}

/** In a browser that speaks the pseudo-language, on the narrowest phone. */
function visitor(): Promise<Visitor> {
  return stage.visitor({ language: 'en-XA' }, { viewport: { width: 320, height: 800 } });
}

async function loggedIn(): Promise<Visitor> {
  const ada = await visitor();
  await ada.logIn(await verified(stage.app));
  return ada;
}

async function saysAllInDialog(ada: Visitor, button: string, text: string): Promise<void> {
  await ada.press(button);
  await ada.sees(text);
  await saysAll(ada, button);
  await ada.press('Cancel');
}
