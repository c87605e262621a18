import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { giveRole, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { type AppOwner, addApp, appOwner, forgetSteps } from '../support/authenticator-app.js';
import { IdentityProvider } from '../support/identity-provider.js';
import { looksRight } from './looks.js';
import { scan } from './phone.js';
import { Stage } from './stage.js';
import { age, passkeyOwner } from './virtual-authenticator.js';
import type { Visitor } from './visitor.js';

const CODE = 'Code from your authenticator app';
const NEW_CODE = 'Code that the app shows now';
const KEPT = 'I have kept the codes in a safe place';
/** As wide as 1280 pixels at four times the size (WCAG 1.4.10). */
const NARROW = 320;
const UNKEPT = 'You never confirmed that you kept your recovery codes';
const WRONG = 'This code is not correct, or was used before.';

let provider: IdentityProvider;
let stage: Stage;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  stage = await Stage.inDev({ ...provider.variables, SVC_SECOND_STEP_FROM: 'org_admin' });
});
afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

describe('with the keyboard alone, a login', () => {
  it('asks for a code after the password, marks a wrong one, and takes a right one with blanks in it', async () => {
    const owner = await appOwner(stage.app);
    const ada = await atSecondStep(owner, '/ui/security');
    ada.expectRefusal('400 /auth/pending-login/second-factor');
    expect(ada.path).toBe('/ui/second-step?return_to=%2Fui%2Fsecurity');
    expect(await ada.cookie()).toBeUndefined();
    const field = ada.field(CODE);
    await field.and(ada.page.locator(':focus')).waitFor();
    await ada.submit('Log in', { [CODE]: owner.app.wrongCode() });
    await ada.sees(WRONG, ada.find('alert'));
    expect(await field.getAttribute('aria-describedby')).toBe(await ada.find('alert').getAttribute('id'));
    await ada.sees('Enter the next one that');

    await ada.page.reload();
    await ada.submit('Log in', { [CODE]: owner.app.code().replace(/.../, '$& ') });

    await ada.sees('This one');
    expect(ada.path).toBe('/ui/security');
  });

  it('takes a recovery code in place of the app, and says how many are left', async () => {
    const owner = await appOwner(stage.app);
    const ada = await atSecondStep(owner);
    await ada.unfold('Use a recovery code');
    const [code = ''] = owner.recoveryCodes;
    await ada.submit('Log in with this code', { 'Recovery code': code.toLowerCase().replaceAll('-', ' ') });

    await ada.sees('That code no longer works: you have 9 recovery codes left.');
    await ada.sees('Did you lose the app?');
    await looksRight(ada, 'second-step-lost-app');
    await ada.follow('I still have the app');
    await ada.sees(owner.email);
  });

  it('by a recovery code lets the user remove the app that was lost', async () => {
    const owner = await appOwner(stage.app);
    const ada = await atSecondStep(owner);
    await ada.unfold('Use a recovery code');
    await ada.submit('Log in with this code', { 'Recovery code': owner.recoveryCodes[0] ?? '' });
    await ada.sees('Did you lose the app?');
    await ada.press('Remove the lost app');

    await ada.sees('The authenticator app is removed.');
    await ada.sees('Off. With an authenticator app');
    expect(ada.path).toBe('/ui/security');
  });

  it('by a recovery code says what to do about a lost app to a user who must have a factor', async () => {
    const owner = await appOwner(stage.app);
    await giveRole(stage.app.database, owner.id, 'org_admin');
    const ada = await atSecondStep(owner);
    await ada.unfold('Use a recovery code');
    await ada.submit('Log in with this code', { 'Recovery code': owner.recoveryCodes[0] ?? '' });
    await ada.sees('first add a passkey under Security');
    await ada.follow('Go to Security');

    await ada.sees('On, and it has to stay on');
  });

  it('through the provider asks for the code too, and goes on to the page where it began', async () => {
    const owner = await appOwner(stage.app);
    provider.accounts.set('ada', { sub: 'ada', email: owner.email, email_verified: true });
    const ada = await stage.visitor({ hasMouse: false });
    await ada.open('/security');
    await ada.submit('Continue with the provider');
    await ada.submit('Continue', { 'Who are you?': 'ada' });
    await ada.sees('Once you confirm, you can also log in with the provider.');
    await ada.submit('Log in', { [CODE]: owner.app.code() });

    await ada.sees('This one');
    expect(ada.path).toBe('/ui/security');
  });

  it('leads through the set-up where the role asks for a second factor, and the phone reads a small dark screen', async () => {
    const email = await verified(stage.app);
    await giveRole(stage.app.database, email, 'org_admin');
    const ada = await stage.visitor({ hasMouse: false });
    ada.expectRefusal('400 /auth/pending-login/totp/confirm');
    await ada.page.emulateMedia({ colorScheme: 'dark' });
    await ada.page.setViewportSize({ width: NARROW, height: 640 });
    await ada.open('/login?return_to=/ui/security');
    await ada.submit('Log in', { Email: email, Password: PASSWORD });
    await ada.sees('Make your login safer');
    await ada.submit('I have an app');
    const app = await scan(ada);
    await ada.page.reload();
    expect((await scan(ada)).secret).toBe(app.secret);
    expect(await ada.page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW);
    await ada.submit('Confirm the code', { [NEW_CODE]: app.wrongCode() });
    await ada.sees(WRONG, ada.find('alert'));
    await ada.submit('Confirm the code', { [NEW_CODE]: app.code() });
    await ada.sees('Keep your recovery codes');
    expect(await ada.page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW);
    await ada.submit('Continue');
    // The browser asks for the tick.
    await ada.page.locator('input:invalid:focus').waitFor();
    await ada.tick(KEPT);
    await ada.submit('Continue');

    await ada.sees('You are logged in. From now on, a login also asks for a code from your app.');
    expect(ada.path).toBe('/ui/security');
  });
});

describe('the codes to keep', () => {
  it('can be copied, and downloaded as a text file', async () => {
    const { visitor, codes } = await atCodes();
    await visitor.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.submit('Copy the codes');
    await visitor.sees('The codes are copied.');
    expect(await visitor.page.evaluate('navigator.clipboard.readText()')).toBe(codes.join('\n'));

    const downloaded = visitor.page.waitForEvent('download');
    await visitor.follow('Download them');
    const file = await downloaded;
    expect(file.suggestedFilename()).toBe('recovery-codes.txt');
    const text = await readFile(await file.path(), 'utf8');
    for (const code of codes) expect(text).toContain(code);
  });

  it('are lost with a reload, of which the browser warns, and the security page says so until there are new ones', async () => {
    const { visitor } = await atCodes();
    visitor.expectRefusal('401 /auth/pending-login');
    const asked = visitor.page.waitForEvent('dialog');
    const reloaded = visitor.page.reload();
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.accept();
    await reloaded;
    await visitor.arrivesAt('/ui/security');
    await visitor.sees(UNKEPT);
    await visitor.sees('10 left');

    await visitor.press('Get new recovery codes');
    await visitor.press('Get new codes');
    await visitor.tick(KEPT);
    await visitor.submit('Continue');
    await visitor.sees('You have ten new recovery codes.');
    await visitor.hasLoaded();
    expect(await visitor.text()).not.toContain(UNKEPT);
  });
});

describe('the page of the second step', () => {
  it('takes a passkey in place of a code', async () => {
    const { visitor, email } = await passkeyOwner(stage);
    visitor.expectRefusal('401 /auth/logout');
    await withApp(email);
    await visitor.logOut();
    await visitor.sees('You are logged out.');
    await visitor.submit('Log in', { Email: email, Password: PASSWORD });
    await visitor.submit('Use a passkey');

    await visitor.sees(email);
  });

  it('asks for the password again once the login is over, and goes on to the page where it began', async () => {
    const owner = await appOwner(stage.app);
    const ada = await atSecondStep(owner, '/ui/security');
    ada.expectRefusal('401 /auth/pending-login/second-factor');
    await stage.app.database.rows('DELETE FROM pending_logins WHERE user_id = $1', [owner.id]);
    await ada.submit('Log in', { [CODE]: owner.app.code() });
    await ada.sees('This login took too long, or was finished in another tab. Please log in again.');

    await ada.submit('Log in', { Email: owner.email, Password: PASSWORD });
    await ada.submit('Cancel');
    await ada.arrivesAt('/ui/login?return_to=%2Fui%2Fsecurity');
    await ada.submit('Log in', { Email: owner.email, Password: PASSWORD });
    await ada.submit('Log in', { [CODE]: owner.app.code() });
    await ada.sees('This one');
  });

  it('leads a browser without a login to the login page', async () => {
    const eve = await stage.visitor();
    eve.expectRefusal('401 /auth/pending-login');
    await eve.open('/second-step');

    await eve.sees('Please log in again.');
    expect(eve.path).toBe('/ui/login');
  });

  it('goes on to no other site', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('401 /auth/pending-login');
    await ada.logIn(await verified(stage.app));
    for (const elsewhere of [
      '//elsewhere.test',
      '/\\elsewhere.test',
      'http://elsewhere.test',
      '/..//elsewhere.test',
    ]) {
      await ada.open(`/second-step?${new URLSearchParams({ return_to: elsewhere })}`);
      await ada.sees('Your account');
      expect(ada.page.url()).toBe(`${stage.home}/account`);
    }
  });
});

describe('with the keyboard alone, the account', () => {
  it('gets an authenticator app and new recovery codes, and loses the app, each after a proof', async () => {
    const email = await verified(stage.app);
    const ada = await stage.visitor({ hasMouse: false });
    ada.expectRefusal('403 /users/me/totp', '403 /users/me/recovery-codes', '400 /auth/step-up');
    await ada.logIn(email);
    await ada.follow('Security');
    await ada.sees('Off. With an authenticator app');
    await age(stage, email);
    await ada.submit('Add an authenticator app');
    await ada.submit('Confirm', { 'Your password': PASSWORD });
    const app = await scan(ada);
    await ada.page.reload();
    expect((await scan(ada)).secret).toBe(app.secret);
    await ada.submit('Confirm the code', { [NEW_CODE]: app.code() });
    await keepCodes(ada);
    await ada.sees('Your authenticator app is added');
    await ada.sees('10 left');

    await age(stage, email);
    await ada.press('Get new recovery codes');
    await ada.press('Get new codes');
    await ada.submit('Confirm', { [CODE]: app.wrongCode() });
    await ada.sees(WRONG, ada.find('dialog').getByRole('alert'));
    await ada.submit('Confirm', { [CODE]: app.code(1) });
    const [code = ''] = await keepCodes(ada);
    await ada.sees('You have ten new recovery codes.');

    await age(stage, email);
    await ada.press('Remove the authenticator app');
    await ada.press('Remove it');
    await ada.unfold('Use a recovery code');
    await ada.submit('Confirm with this code', { 'Recovery code': code });
    await ada.sees('The authenticator app is removed.');
    await ada.sees('Off. With an authenticator app');
  });

  it('keeps the last factor of a user who must have one, and says how to change the app', async () => {
    const { visitor } = await atCodes();
    visitor.expectRefusal('409 /users/me/totp');
    await keepCodes(visitor);
    await visitor.sees('You are logged in.');
    await visitor.follow('Security');
    await visitor.sees('On, and it has to stay on');
    await visitor.press('Remove the authenticator app');
    await visitor.sees('To change to another app, first add a passkey');
    await visitor.press('Remove it');

    await visitor.sees('This account must have a second factor');
  });
});

/** A visitor without a mouse who has given the password, and is asked for the second step. */
async function atSecondStep({ email }: Pick<AppOwner, 'email'>, returnTo = '/ui/account'): Promise<Visitor> {
  const visitor = await stage.visitor({ hasMouse: false });
  await visitor.open(`/login?return_to=${returnTo}`);
  await visitor.submit('Log in', { Email: email, Password: PASSWORD });
  // The title alone is there before the page knows which step it is.
  await visitor.sees('Your account asks for a second proof that it is you.');
  return visitor;
}

/** A visitor who must have a second factor, has set one up at the login, and is to keep the codes. */
async function atCodes() {
  const email = await verified(stage.app);
  await giveRole(stage.app.database, email, 'org_admin');
  const visitor = await stage.visitor();
  await visitor.open('/login');
  await visitor.submit('Log in', { Email: email, Password: PASSWORD });
  await visitor.submit('I have an app');
  const app = await scan(visitor);
  await visitor.submit('Confirm the code', { [NEW_CODE]: app.code() });
  await visitor.sees('Keep your recovery codes');
  return { visitor, codes: await codesOn(visitor) };
}

async function keepCodes(visitor: Visitor): Promise<string[]> {
  await visitor.sees('Keep your recovery codes');
  const codes = await codesOn(visitor);
  await visitor.tick(KEPT);
  await visitor.submit('Continue');
  return codes;
}

const codesOn = ({ page }: Visitor): Promise<string[]> => page.locator('.codes code').allInnerTexts();

/** Adds an authenticator app to an account, in another browser. */
async function withApp(email: string): Promise<void> {
  const browser = await loggedIn(stage.app, email);
  const { id } = (await browser.get('/users/me')).body.user;
  await addApp(stage.app, { browser, id });
  await forgetSteps(stage.app, id);
}
