import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD, signedUp, verified } from '../support/accounts.js';
import { appOwner } from '../support/authenticator-app.js';
import { IdentityProvider } from '../support/identity-provider.js';
import { linkIn } from '../support/mails.js';
import { foundOrg, place } from '../support/orgs.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { inPage, looksRight, readsInLargeLetters, shoot } from './looks.js';
import { Stage } from './stage.js';
import { age, VirtualAuthenticator } from './virtual-authenticator.js';
import type { Visitor } from './visitor.js';

let provider: IdentityProvider;
let stripe: StripeStandIn;
let stage: Stage;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  stripe = await StripeStandIn.start();
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
  await stripe.stop();
  await provider.stop();
});

describe('every page, in each of its states', () => {
  it('login', async () => {
    const eve = await stage.visitor();
    eve.expectRefusal('401 /auth/login', '403 /auth/login');
    await eve.open('/login');
    await eve.sees('No account yet?');
    await looksRight(eve, 'login');

    await eve.submit('Log in', { Email: freshAddress(), Password: 'not the password' });
    await eve.sees('The email address or the password is not correct.');
    await looksRight(eve, 'login-wrong');

    await eve.open('/login?error=invalid_state');
    await eve.sees('The login took too long');
    await looksRight(eve, 'login-error');

    await eve.submit('Log in', { Email: await signedUp(stage.app), Password: PASSWORD });
    await eve.sees('Send the link again');
    await looksRight(eve, 'login-unverified');

    await eve.submit('Send the link again', {});
    await eve.sees('We have sent a link');
    await looksRight(eve, 'login-resent');
  });

  it('login, when it fails for a user who is logged in', async () => {
    const ada = await loggedIn();
    await ada.open('/login?error=account_conflict');
    await ada.sees('You are still logged in as');
    await looksRight(ada, 'login-still');
  });

  it('signup', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('400 /auth/signup');
    await ada.open('/signup');
    await ada.sees('Sign up with Example ID');
    await ada.sees('Log in with a passkey');
    await looksRight(ada, 'signup');

    await ada.submit('Sign up', { Email: freshAddress(), Password: 'password1' });
    await ada.sees('This is one of the most used passwords.');
    await looksRight(ada, 'signup-weak');

    await ada.submit('Sign up', { Password: PASSWORD });
    await ada.sees('We have sent a link');
    await looksRight(ada, 'signup-sent');
  });

  it('verify-email', async () => {
    const phone = await stage.visitor();
    phone.expectRefusal('400 /auth/verify-email');
    const email = await signedUp(stage.app);
    await phone.open(linkIn(await stage.app.mailbox.last(email)));
    await phone.sees('One click, and you are logged in.');
    await looksRight(phone, 'verify-email');

    await phone.submit('Confirm my address');
    await phone.sees('You signed up in another browser.');
    await phone.unfold('I do not know it');
    await looksRight(phone, 'verify-email-elsewhere');

    await phone.open('/verify-email?token=used');
    await phone.submit('Confirm my address');
    await phone.sees('This link is no longer valid');
    await looksRight(phone, 'verify-email-dead');
  });

  it('forgot-password and reset-password', async () => {
    const ada = await stage.visitor();
    await ada.open('/forgot-password');
    await ada.sees('Forgot your password?');
    await looksRight(ada, 'forgot-password');

    const email = await verified(stage.app);
    await ada.submit('Send me a link', { Email: email });
    await ada.sees('a link is on its way');
    await looksRight(ada, 'forgot-password-sent');

    await ada.open(linkIn(await stage.app.mailbox.last(email)));
    await ada.sees('Set a new password');
    await ada.sees(email);
    await looksRight(ada, 'reset-password');
    await readsInLargeLetters(ada, 'reset-password');
  });

  it('login-code', async () => {
    const ada = await stage.visitor();
    await ada.open('/login-code');
    await ada.sees('We will email you a code and a link.');
    await looksRight(ada, 'login-code');

    const email = await verified(stage.app);
    await ada.submit('Email me a code', { Email: email });
    await ada.sees('a code is on its way');
    await looksRight(ada, 'login-code-sent');

    const phone = await stage.visitor();
    phone.expectRefusal('400 /auth/email-code/login');
    await phone.open(linkIn(await stage.app.mailbox.last(email)));
    await phone.sees('One click, and you are logged in.');
    await looksRight(phone, 'login-code-link');
    await readsInLargeLetters(phone, 'login-code-link');
    await phone.press('Log in');
    await phone.sees('only in the browser where you asked for it.');
    await looksRight(phone, 'login-code-elsewhere');
  });

  it('one that is not there', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('404 /ui/no-such-page');
    await ada.open('/no-such-page/');
    await ada.sees('Page not found');
    expect(ada.path).toBe('/ui/no-such-page');
    await looksRight(ada, 'no-such-page');
    await ada.follow('Your account');
    await ada.arrivesAt('/ui/login?return_to=%2Fui%2Faccount');
  });

  it('secure-account', async () => {
    const ada = await stage.visitor();
    await ada.open('/secure-account?token=used');
    await ada.sees('Was this not you?');
    await looksRight(ada, 'secure-account');
  });

  it('confirm-email', async () => {
    const ada = await loggedIn();
    ada.expectRefusal('400 /users/me/email/confirm');
    await ada.open('/confirm-email?token=used');
    await ada.sees('moves to the address at which you got this link');
    await looksRight(ada, 'confirm-email');

    await ada.submit('Move my account');
    await ada.sees('This link is no longer valid');
    await looksRight(ada, 'confirm-email-dead');
  });

  it('accept-invitation', async () => {
    const org = await foundOrg(stage.app);
    const [newcomer, owner] = [freshAddress(), await verified(stage.app)];
    for (const email of [newcomer, owner])
      await org.admin.post(`/orgs/${org.id}/invitations`, { email, role: 'member' });

    const charles = await stage.visitor();
    await charles.open(linkIn(await stage.app.mailbox.last(newcomer)));
    await charles.sees('Join with');
    await looksRight(charles, 'accept-invitation-new');
    await charles.press('Decline');
    await charles.sees('Decline this invitation?');
    await looksRight(charles, 'accept-invitation-decline');

    const link = linkIn(await stage.app.mailbox.last(owner));
    const grace = await stage.visitor();
    grace.expectRefusal('400 /invitations/preview');
    await grace.open(link);
    await grace.sees('Log in to join');
    await looksRight(grace, 'accept-invitation-login');

    const other = await loggedIn();
    await other.open(link);
    await other.sees('Log out and continue');
    await looksRight(other, 'accept-invitation-other');

    await grace.follow('Log in to join');
    await grace.submit('Log in', { Email: owner, Password: PASSWORD });
    await grace.sees('Join with my account');
    await looksRight(grace, 'accept-invitation-self');

    await grace.open('/accept-invitation?token=used');
    await grace.sees('ask the person who invited you');
    await looksRight(grace, 'accept-invitation-dead');
  });

  it('second-step', async () => {
    const owner = await appOwner(stage.app);
    const ada = await stage.visitor();
    ada.expectRefusal('400 /auth/pending-login/second-factor');
    await ada.open('/login');
    await ada.submit('Log in', { Email: owner.email, Password: PASSWORD });
    await ada.sees('Code from your authenticator app');
    await looksRight(ada, 'second-step');

    await ada.submit('Log in', { 'Code from your authenticator app': owner.app.wrongCode() });
    await ada.sees('This code is not correct');
    await ada.unfold('Use a recovery code');
    await looksRight(ada, 'second-step-wrong');
  });

  it('second-step, where a factor has to be set up first', async () => {
    const email = await verified(stage.app);
    const { id } = await foundOrg(stage.app);
    await stage.app.database.rows(
      'UPDATE organizations SET second_factor_required_at = now() WHERE id = $1',
      [id],
    );
    await place(stage.app.database, email, id);
    const ada = await stage.visitor();
    await ada.open('/login');
    await ada.submit('Log in', { Email: email, Password: PASSWORD });
    await ada.sees('Make your login safer');
    await looksRight(ada, 'second-step-set-up');

    await ada.press('I have an app');
    await ada.page.locator('.qr path[d]').waitFor();
    await looksRight(ada, 'second-step-app');
  });

  it('account', async () => {
    const email = await verified(stage.app);
    provider.accounts.set('ada', { sub: 'ada', email, email_verified: true });
    const ada = await stage.visitor();
    await ada.open('/login');
    await ada.press('Continue with Example ID');
    await ada.submit('Continue', { 'Who are you?': 'ada' });
    await ada.sees('Unlink');
    await looksRight(ada, 'account');

    await ada.press('Change your name');
    await looksRight(ada, 'account-name');
    await ada.submit('Save', { Name: 'Ada Lovelace' });
    await ada.sees('Your name is now Ada Lovelace.');
    await looksRight(ada, 'account-done');

    await ada.press('Delete your account');
    await ada.sees('cannot be brought back');
    await looksRight(ada, 'account-delete');
  });

  it('account of a member with a long address', async () => {
    const email = `a-rather-long-name-for-an-address.${freshAddress()}`;
    await verified(stage.app, { email });
    const { id } = await foundOrg(stage.app);
    await place(stage.app.database, email, id, 'member');
    const ada = await stage.visitor();
    await ada.logIn(email);
    await ada.sees('Leave');
    await looksRight(ada, 'account-member');
  });

  it('security', async () => {
    const email = await verified(stage.app);
    const ada = await stage.visitor();
    ada.expectRefusal('403 /users/me/passkeys/{id}', '400 /auth/step-up');
    await VirtualAuthenticator.in(ada.page);
    await ada.logIn(email);
    await ada.open('/security');
    await ada.sees('You have no passkey yet.');
    await ada.sees('Logged in');
    await looksRight(ada, 'security-bare');

    await ada.press('Add a passkey');
    await looksRight(ada, 'security-add-passkey');
    await ada.submit('Add it', { 'Name of the new passkey': 'My laptop' });
    await ada.sees('You can now log in with the passkey My laptop.');
    await ada.press('Add an authenticator app');
    await ada.page.locator('.qr path[d]').waitFor();
    await looksRight(ada, 'security-app');
    await ada.follow('Cancel');

    await age(stage, email);
    await ada.press('Delete My laptop');
    await looksRight(ada, 'security-delete-passkey');
    await ada.press('Delete it');
    await ada.sees('Confirm that it is you');
    await looksRight(ada, 'step-up');
    await ada.submit('Confirm', { 'Your password': 'not the password' });
    await ada.sees('This password is not correct.');
    await looksRight(ada, 'step-up-wrong');
  });

  it('security of a user with every factor', async () => {
    const owner = await appOwner(stage.app);
    const ada = await stage.visitor();
    ada.expectRefusal('403 /users/me/recovery-codes');
    await ada.open('/login');
    await ada.submit('Log in', { Email: owner.email, Password: PASSWORD });
    await ada.submit('Log in', { 'Code from your authenticator app': owner.app.code() });
    await ada.sees(owner.email);
    await ada.open('/security');
    await ada.sees('10 left');
    await ada.sees('Logged in');
    await looksRight(ada, 'security');

    await age(stage, owner.email);
    await ada.press('Get new recovery codes');
    await ada.press('Get new codes');
    await ada.submit('Confirm', { 'Code from your authenticator app': owner.app.code(1) });
    await ada.find('heading', 'Keep your recovery codes').waitFor();
    await looksRight(ada, 'recovery-codes');
  });

  it('billing', async () => {
    const ada = await loggedIn();
    await ada.open('/billing?price_id=price_monthly');
    await ada.sees('You have no subscription.');
    await looksRight(ada, 'billing-none');
  });

  it('loading, and a service that cannot be reached', async () => {
    const ada = await loggedIn();
    await ada.page.route('**/users/me/identities*', () => {});
    await ada.open('/account');
    await ada.page.locator('.grey-rows').waitFor();
    await looksRight(ada, 'account-loading');

    const eve = await stage.visitor();
    eve.expectRefusal('404 /auth/methods');
    await eve.page.route('**/auth/methods', (route) => route.fulfill({ status: 404, body: '' }));
    await eve.open('/login');
    await eve.sees('The service cannot be reached.');
    await looksRight(eve, 'login-unreachable');
  });

  it('a refusal whose words never come', async () => {
    const eve = await stage.visitor();
    eve.expectRefusal('401 /auth/login');
    await eve.page.route('**/problems-words-*', () => {});
    await eve.open('/login');
    await eve.submit('Log in', { Email: freshAddress(), Password: PASSWORD });
    await eve.sees('Something went wrong on our side.');

    await eve.page.unroute('**/problems-words-*');
    eve.expectRefusal('401 /auth/login');
    await eve.submit('Log in', { Email: freshAddress(), Password: PASSWORD });
    await eve.sees('The email address or the password is not correct.');
  });

  it('a refusal that says when to try again, and one that the page does not know', async () => {
    const ada = await stage.visitor();
    await ada.open('/login');
    for (const [status, code, seconds, words] of [
      [429, 'TooManyRequests', 170, 'There were too many requests. Try again in 3 minutes.'],
      [429, 'TooManyAttempts', 7_200, 'Try again in 2 hours. If you do not know the password'],
      [
        418,
        'NoTea',
        0,
        'Something went wrong on our side. If you tell us about it, mention this request: r-418',
      ],
    ] as const) {
      ada.expectRefusal(`${status} /auth/login`);
      await ada.page.route(
        '**/auth/login',
        (route) =>
          route.fulfill({
            status,
            headers: { 'content-type': 'application/problem+json', 'retry-after': String(seconds) },
            body: JSON.stringify({ code, detail: 'For developers.', request_id: `r-${status}` }),
          }),
        { times: 1 },
      );
      await ada.submit('Log in', { Email: freshAddress(), Password: PASSWORD });
      await ada.sees(words);
    }
    expect(await ada.text()).not.toContain('For developers.');
    await looksRight(ada, 'login-failed');
  });
});

describe('a user who has set the browser otherwise', () => {
  it('reads every page of the account in letters twice as large, without scrolling sideways', async () => {
    const ada = await loggedIn();
    for (const name of ['account', 'security', 'billing', 'confirm-email']) {
      await ada.open(`/${name}`);
      await ada.page.waitForLoadState('networkidle');
      await readsInLargeLetters(ada, name);
    }
    const eve = await stage.visitor();
    for (const [name, button] of [
      ['login', 'Log in'],
      ['signup', 'Sign up'],
      ['forgot-password', 'Send me a link'],
    ] as const) {
      await eve.open(`/${name}`);
      await eve.find('button', button).waitFor();
      await readsInLargeLetters(eve, name);
    }
  });

  it('sees in forced colors where a button, a field and a message end', async () => {
    const eve = await stage.visitor();
    await eve.page.emulateMedia({ forcedColors: 'active' });
    await eve.open('/login?error=access_denied');
    await eve.sees('The login was canceled.');
    for (const part of ['.button:not(.words)', '.control', '.alert'])
      expect(
        await inPage(eve.page, `getComputedStyle(document.querySelector('${part}')).borderTopWidth`),
      ).toBe('1px');
    await shoot(eve.page, 'login-forced-colors');
  });

  it('sees one page fade into the next, and nothing move where they ask for less motion', async () => {
    // In a pseudo-language a visitor looks at each page in a narrow window as well, which ends a fade.
    const ada = await stage.visitor({ language: 'en' });
    await ada.logIn(await verified(stage.app));
    // A busy browser leaves a fade out, and calls that an error in the page.
    await ada.page.addInitScript(
      `addEventListener('unhandledrejection', (event) => {
        if (event.reason?.message.includes('Transition')) event.preventDefault();
      });
      globalThis.arrival = new Promise((resolve) => addEventListener('pagereveal', ({ viewTransition }) => {
        resolve(viewTransition ? viewTransition.finished.then(() => 'faded') : 'at once');
      }))`,
    );
    const arrivals = async () => {
      const seen = [];
      for (const [link, heading] of [
        ['Security', 'Logged in'],
        ['Account', 'Your account'],
      ] as const) {
        await ada.follow(link);
        await ada.sees(heading);
        seen.push(await ada.page.evaluate('arrival'));
      }
      return seen;
    };
    expect(await arrivals()).toEqual(['at once', 'at once']);
    await ada.page.emulateMedia({ reducedMotion: 'no-preference' });
    expect([...(await arrivals()), ...(await arrivals())]).toContain('faded');

    await ada.page.emulateMedia({ reducedMotion: 'reduce' });
    await ada.open('/security');
    await ada.page.waitForLoadState('networkidle');
    const durations = `[...document.querySelectorAll('*')].map((element) => getComputedStyle(element).transitionDuration)`;
    expect(await inPage(ada.page, `[...new Set(${durations}.flatMap((all) => all.split(', ')))]`)).toEqual([
      '0s',
    ]);
    // The grey rows of what is on its way have one until it is there.
    await ada.page.waitForFunction('document.getAnimations().length === 0');
  });
});

async function loggedIn(): Promise<Visitor> {
  const visitor = await stage.visitor();
  await visitor.logIn(await verified(stage.app));
  return visitor;
}
