import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, verified } from '../support/accounts.js';
import { appOwner, forgetSteps } from '../support/authenticator-app.js';
import { WITH_EMAIL_CODES } from '../support/email-codes.js';
import { linkIn } from '../support/mails.js';
import { allow } from './all-said.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

const REFUSED = '400 /auth/email-code/login';
const CODE = 'Code from the email';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev(WITH_EMAIL_CODES);
});
afterAll(() => stage.stop());

/** A visitor who has asked for a code on the page of the login. */
async function asking(email: string, returnTo = ''): Promise<Visitor> {
  const visitor = await stage.visitor();
  await visitor.open(`/login${returnTo}`);
  await visitor.follow('Email me a code');
  await visitor.submit('Email me a code', { Email: email });
  await visitor.sees('a code is on its way');
  return visitor;
}

const linkTo = async (email: string) => linkIn(await stage.app.mailbox.last(email));

describe('a mailed code', () => {
  it('logs in where it was asked for, and leads on to where the login was to lead', async () => {
    const email = await verified(stage.app);
    const ada = await asking(email, '?return_to=/ui/security');
    await ada.submit('Continue', { [CODE]: await stage.app.mailbox.code(email) });
    await ada.arrivesAt('/ui/security');
    await ada.sees(email);
  });

  it('that is wrong says so at its field, and can be asked for again', async () => {
    const email = await verified(stage.app);
    const ada = await asking(email);
    ada.expectRefusal(REFUSED);
    await ada.submit('Continue', { [CODE]: '0000-0000' });
    await ada.sees('This code is not correct, or no longer works. Ask for another one.');
    expect(await ada.field(CODE).getAttribute('aria-invalid')).toBe('true');
  });

  it('of an address without an account shows the same page', async () => {
    const ada = await asking(freshAddress());
    await ada.sees('Check your email');
  });

  it('leads to the second step where the account takes one', async () => {
    const owner = await appOwner(stage.app);
    await forgetSteps(stage.app, owner.id);
    const ada = await asking(owner.email);
    await ada.submit('Continue', { [CODE]: await stage.app.mailbox.code(owner.email) });
    await ada.sees('Your account asks for a second proof that it is you.');
    await ada.submit('Log in', { 'Code from your authenticator app': owner.app.code() });
    await ada.sees('Your account');
  });
});

describe('the link of a mailed code', () => {
  it('is taken out of the address, logs in at a click in the browser that asked, and at nothing less', async () => {
    const email = await verified(stage.app);
    const ada = await asking(email);
    await ada.open(await linkTo(email));
    await ada.sees('One click, and you are logged in.');
    expect(ada.path).toBe('/ui/login-code');
    const used = 'SELECT count(*)::int FROM one_time_tokens WHERE sent_to = $1 AND consumed_at IS NOT NULL';
    expect(await stage.app.database.value(used, [email])).toBe(0);

    await ada.press('Log in');
    await ada.sees('Your account');
    await ada.sees(email);
  });

  it('opened by a scanner, which runs scripts, leaves the code good', async () => {
    const email = await verified(stage.app);
    const ada = await asking(email);
    const scanner = await stage.visitor();
    await scanner.open(await linkTo(email));
    await scanner.sees('One click, and you are logged in.');

    await ada.submit('Continue', { [CODE]: await stage.app.mailbox.code(email) });
    await ada.sees('Your account');
  });

  it('opened on another device says where to enter the code, which then logs in there', async () => {
    const email = await verified(stage.app);
    const ada = await asking(email);
    const phone = await stage.visitor();
    phone.expectRefusal(REFUSED);
    const code = await stage.app.mailbox.code(email);
    allow(code);
    await phone.open(await linkTo(email));
    await phone.press('Log in');
    await phone.sees('only in the browser where you asked for it.');
    expect(await phone.text()).toContain(code);

    await phone.page.reload();
    await phone.field('Email').waitFor();
    await ada.submit('Continue', { [CODE]: code });
    await ada.sees('Your account');
  });
});

describe('where the setting is off', () => {
  it('the login offers no code, and the page is missing', async () => {
    const off = await Stage.inDev();
    const ada = await off.visitor();
    ada.expectRefusal('404 /ui/login-code');
    await ada.open('/login');
    await ada.sees('No account yet?');
    expect(await ada.find('link', 'Email me a code').count()).toBe(0);
    await ada.open('/login-code');
    await ada.sees('Page not found');
    await off.stop();
  });
});
