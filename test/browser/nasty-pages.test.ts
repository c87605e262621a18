import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { PASSWORD, verified } from '../support/accounts.js';
import { IdentityProvider } from '../support/identity-provider.js';
import { NASTY_NAMES, type Nasty, seedNasty } from '../support/nasty.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { allow } from './all-said.js';
import { joinAll } from './consultant.js';
import { fitsEverywhere, opensWithoutMoving, watchShifts } from './layout.js';
import { isAccessible } from './looks.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

const PRODUCT = 'Analytical Engines and Difference Machinery';
const [IMPRINT, ACCESSIBILITY] = ['Imprint', 'Information on how we handle accessibility of this service'];

let provider: IdentityProvider;
let stripe: StripeStandIn;
let stage: Stage;
let nasty: Nasty;
let resetToken: string;
let admin: Visitor;
let loner: Visitor;
let stranger: Visitor;
beforeAll(async () => {
  [provider, stripe] = await Promise.all([IdentityProvider.start(), StripeStandIn.start()]);
  stage = await Stage.inDev({
    ...provider.variables,
    ...stripe.variables,
    SVC_IDP_TITLE: 'Example ID',
    SVC_PRODUCT_NAME: PRODUCT,
    SVC_SUPPORT_EMAIL: 'help@example.com',
    SVC_TERMS_URL: 'https://example.com/terms',
    SVC_PRIVACY_URL: 'https://example.com/privacy',
    SVC_FOOTER_LINKS: JSON.stringify([
      { url: 'https://example.com/imprint', words: { en: IMPRINT } },
      { url: 'https://example.com/legal', words: { en: ACCESSIBILITY } },
    ]),
  });
  stripe.account.addPrice({ id: 'price_monthly' });
  resetToken = await tokenOfForgetful(`forgetful.${'augusta'.repeat(4)}@example.com`);
  allow(PRODUCT, IMPRINT, ACCESSIBILITY);
  nasty = await seedNasty(stage.app);
  [admin, loner, stranger] = [await visitorOf(nasty.admin), await visitorOf(nasty.loner), await visitorOf()];
});
afterAll(async () => {
  await stage.stop();
  await Promise.all([stripe.stop(), provider.stop()]);
});

describe('with long names and full addresses, nothing moves, leaves the window or breaks within a word', () => {
  it.each([
    ['login', '/login', 'No account yet?'],
    ['failed login', '/login?error=account_conflict', 'No account yet?'],
    ['signup', '/signup', 'Already have an account?'],
    ['forgot password', '/forgot-password', 'Forgot your password?'],
    ['verify email', '/verify-email?token=any', 'One click'],
    ['secure account', '/secure-account?token=any', 'Was this not you?'],
  ])('%s', async (name, path, text) => {
    await standsFirm(stranger, path, name, text);
  });

  it('reset password', async () => {
    await standsFirm(stranger, `/reset-password?token=${resetToken}`, 'reset password', 'Set a new password');
  });

  it('accept invitation, in each of its cases', async () => {
    const [newcomer, owner] = ['newcomer', 'loner'].map(
      (whose) => `/accept-invitation?token=${nasty.invitations[whose as 'loner']}`,
    ) as [string, string];
    await standsFirm(stranger, newcomer, 'invitation of a new address', 'Join with');
    await standsFirm(stranger, owner, 'invitation of an owner', 'Log in to join');
    await standsFirm(loner, owner, 'own invitation', 'Join with my account');
    await standsFirm(admin, owner, 'invitation of another', 'Log out and continue');
  });

  it.each([
    ['account', '/account', 'Leave'],
    ['security', '/security', 'Recent activity'],
    ['billing', '/billing', 'Change or cancel'],
    ['confirm email', '/confirm-email?token=any', 'moves to the address at which you got this link'],
  ])('%s, of an admin', async (name, path, text) => {
    await standsFirm(admin, path, name, text);
  });

  it.each([
    ['account without organization', '/account', 'Unlink'],
    ['security with passkeys', '/security', 'Samsung'],
    ['billing without subscription', '/billing', 'You have no subscription.'],
  ])('%s', async (name, path, text) => {
    await standsFirm(loner, path, name, text);
  });

  it('account and billing, of a user of every organization', async () => {
    await joinAll(stage.app, nasty.admin.id);
    await standsFirm(admin, '/account', 'account of several', 'To use it, you need a second factor.');
    await standsFirm(admin, '/billing', 'billing of several', 'Whose subscription?');
    await standsFirm(admin, `/billing?org=${nasty.orgId}`, 'billing of one of several', 'Choose another');
    await admin.open('/account');
    await admin.press(`Leave ${NASTY_NAMES[0]}`);
    await admin.sees('To come back, you need an invitation.');
    await admin.hasLoaded();
    await fitsEverywhere(admin.page, 'leaving one of several', NASTY_NAMES);
  });

  it('second step, where a factor has to be set up', async () => {
    await stage.app.database.rows(
      'UPDATE organizations SET second_factor_required_at = now() WHERE id = $1',
      [nasty.orgId],
    );
    const visitor = await visitorOf();
    await visitor.open('/login');
    await visitor.submit('Log in', { Email: nasty.member.email, Password: PASSWORD });
    await visitor.sees('Make your login safer');
    await standsFirm(visitor, '/second-step', 'second step', 'Make your login safer');
  });
});

/** Everything that is promised of a page: see the module of the layout. */
async function standsFirm(visitor: Visitor, path: string, name: string, text: string): Promise<void> {
  for (const width of [390, 1280]) await opensWithoutMoving(visitor.page, visitor.home + path, width);
  await visitor.sees(text);
  await fitsEverywhere(visitor.page, name, NASTY_NAMES);
  await isAccessible(visitor, `nasty-${name.replaceAll(' ', '-')}`);
}

/** The token of a mailed link for a new password. Nobody waits for the mails of the fixture, which never go out. */
async function tokenOfForgetful(email: string): Promise<string> {
  await verified(stage.app, { email });
  await stage.app.browser().post('/password/forgot', { email });
  return stage.app.mailbox.token(email);
}

async function visitorOf(person?: { email: string }): Promise<Visitor> {
  const visitor = await stage.visitor();
  if (person) await visitor.logIn(person.email);
  await watchShifts(visitor.page.context());
  return visitor;
}
