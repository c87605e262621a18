import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedInAs, PASSWORD, verified } from '../support/accounts.js';
import { appOwner } from '../support/authenticator-app.js';
import { linkIn } from '../support/mails.js';
import { foundOrg, type TestOrg } from '../support/orgs.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { CONSOLE } from './console.js';
import { inPage, looksRight } from './looks.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

const ARABIC = 'أكاديمية 7';
const JAPANESE = '株式会社イニテック';

let stripe: StripeStandIn;
let stage: Stage;
let org: TestOrg;
let root: Visitor;
beforeAll(async () => {
  stripe = await StripeStandIn.start();
  stripe.account.addPrice({ id: 'price_monthly' });
  stage = await Stage.inDev({
    ...stripe.variables,
    SVC_PRODUCT_NAME: 'Analytical',
    SVC_SUPPORT_EMAIL: 'help@example.com',
    SVC_TERMS_URL: 'https://example.com/terms',
  });
  org = await foundOrg(stage.app, JAPANESE);
  await foundOrg(stage.app, ARABIC);
  await org.admin.post(`/orgs/${org.id}/invitations`, { email: 'charles@example.com', role: 'member' });
  root = await visitorOf((await loggedInAs(stage.app, 'sys_admin')).email);
});
afterAll(async () => {
  await stage.stop();
  await stripe.stop();
});

describe('in a language that is read from right to left, wide and narrow, light and dark, nothing is out of place', () => {
  it('on the page of the login, with what was typed shown', async () => {
    const ada = await visitorOf();
    ada.expectRefusal('401 /auth/login');
    await ada.open('/login');
    await ada.submit('Log in', { Email: freshAddress(), Password: 'not the password' });
    await ada.page.locator('[data-general]').waitFor();
    await ada.page.locator('.with-button button').click();
    await looksRight(ada, 'rtl-login');
  });

  it('on the page of the signup', async () => {
    const ada = await visitorOf();
    await ada.open('/signup');
    await ada.sees('Already have an account?');
    await looksRight(ada, 'rtl-signup');

    expect(await directionsOf(ada)).toEqual({
      email: 'ltr',
      password: 'ltr',
      name: 'auto',
      org_name: 'auto',
    });
  });

  it('on the page of an invitation', async () => {
    const email = freshAddress();
    await org.admin.post(`/orgs/${org.id}/invitations`, { email, role: 'member' });
    const charles = await visitorOf();
    await charles.open(linkIn(await stage.app.mailbox.last(email)));
    await charles.sees('You are invited to join');
    await looksRight(charles, 'rtl-invitation');
  });

  it('at the second step', async () => {
    const owner = await appOwner(stage.app);
    const ada = await visitorOf();
    await ada.open('/login');
    await ada.submit('Log in', { Email: owner.email, Password: PASSWORD });
    await ada.sees('Code from your authenticator app');
    await ada.unfold('Use a recovery code');
    await looksRight(ada, 'rtl-second-step');

    expect(await directionsOf(ada)).toEqual({ totp: 'ltr', recovery_code: 'ltr' });
  });

  it('on the pages of an account, and in their dialogs', async () => {
    const ada = await visitorOf(org.admin.email);
    await ada.sees('Leave');
    await looksRight(ada, 'rtl-account');
    await ada.press(`Leave ${JAPANESE}`);
    await ada.sees('You keep your account');
    await looksRight(ada, 'rtl-account-leave');
    await ada.open('/security');
    await ada.sees('Logged in');
    await looksRight(ada, 'rtl-security');
    await ada.press('Change your password');
    await looksRight(ada, 'rtl-security-password');
    await ada.open('/billing');
    await ada.hasLoaded();
    await looksRight(ada, 'rtl-billing');
  });

  it.each(['', '/organization', '/users', '/activity'])('on the screen /admin%s', async (screen) => {
    const query = screen === '/organization' ? `?id=${org.id}` : '';
    await root.page.goto(`${CONSOLE}${screen}${query}`, { waitUntil: 'networkidle' });
    await root.hasLoaded();
    await looksRight(root, `rtl-console${screen.replace('/', '-')}`);
  });

  it('and the sign of the way out points the other way, and no other one', async () => {
    await root.open(CONSOLE);
    await root.page.locator('.who svg.turns').waitFor({ state: 'attached' });

    const turned = `[...document.querySelectorAll('.side svg')].map((svg) => getComputedStyle(svg).scale)`;
    const scales = await inPage<string[]>(root.page, turned);
    expect(scales.filter((scale) => scale === '-1 1')).toHaveLength(1);
    expect(scales.length).toBeGreaterThan(5);
  });
});

describe('a name that is read in the other direction', () => {
  it('changes the place of nothing beside it, in an attribute and in a message', async () => {
    const owner = await verified(stage.app);
    const ada = await stage.visitor();
    await ada.logIn(owner);
    await ada.press('Create an organization');
    await ada.submit('Create', { 'Name of the organization': ARABIC });
    await ada.sees(`You have created \u2068${ARABIC}\u2069`);
    await ada.sees('Leave');

    const labels = `[...document.querySelectorAll('[aria-label]')].map(({ ariaLabel }) => ariaLabel)`;
    expect(await inPage(ada.page, labels)).toContain(`Leave \u2068${ARABIC}\u2069`);
  });

  it('is not isolated where it has the direction of the page', async () => {
    const ada = await stage.visitor();
    await ada.logIn(await verified(stage.app));
    await ada.press('Create an organization');
    await ada.submit('Create', { 'Name of the organization': 'Initech' });
    await ada.sees('You have created Initech');

    expect(await inPage(ada.page, 'document.documentElement.innerHTML')).not.toMatch(/[\u2066-\u2069]/);
  });
});

/** How the fields of a page are read, by their names. */
function directionsOf({ page }: Visitor): Promise<Record<string, string>> {
  return inPage(
    page,
    `Object.fromEntries([...document.querySelectorAll('input:not(.unseen)')].map(({ name, dir }) => [name, dir]))`,
  );
}

/** In a browser that speaks the pseudo-language of the other direction. */
async function visitorOf(email?: string): Promise<Visitor> {
  const visitor = await stage.visitor({ language: 'ar-XB' });
  if (email) await visitor.logIn(email);
  return visitor;
}
