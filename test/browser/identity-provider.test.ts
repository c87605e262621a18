import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD, verified } from '../support/accounts.js';
import { callbackOf, IdentityProvider } from '../support/identity-provider.js';
import { linkIn } from '../support/mails.js';
import { foundOrg } from '../support/orgs.js';
import { Stage } from './stage.js';
import { age } from './virtual-authenticator.js';
import type { Visitor } from './visitor.js';

const REASONS = [
  'access_denied',
  'invalid_state',
  'email_not_verified',
  'invitation_required',
  'invitation_invalid',
  'invitation_conflict',
  'invitation_login_first',
  'account_disabled',
  'account_conflict',
  'too_many_requests',
  'provider_error',
];

let provider: IdentityProvider;
let staff: IdentityProvider;
let stage: Stage;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  staff = await IdentityProvider.start(callbackOf('staff'));
  stage = await Stage.inDev({ ...provider.variables, SVC_IDP_OTHERS: JSON.stringify([staff.entry]) });
});
afterAll(async () => {
  await stage.stop();
  await Promise.all([provider.stop(), staff.stop()]);
});

describe('the login through the identity provider', () => {
  it('leads back to the page where it began, logged in', async () => {
    const ada = await stage.visitor();
    const email = freshAddress();
    provider.accounts.set('ada', { sub: 'ada', email, email_verified: true });
    await ada.open('/security');
    await ada.sees('Please log in.');
    await ada.submit('Continue with the provider');
    await ada.submit('Continue', { 'Who are you?': 'ada' });

    await ada.sees('This one');
    expect(ada.path).toBe('/ui/security');
  });

  it('asks its user again, in the session, before what is dangerous', async () => {
    const ada = await stage.visitor();
    const email = freshAddress();
    provider.accounts.set('hedy', { sub: 'hedy', email, email_verified: true });
    provider.loggedInAt = Math.floor(Date.now() / 1000) - 3600;
    await ada.open('/security');
    await ada.submit('Continue with the provider');
    await ada.submit('Continue', { 'Who are you?': 'hedy' });
    provider.loggedInAt = undefined;
    await ada.logOut();
    await ada.sees('You are logged out.');
    await ada.open('/security');
    await ada.submit('Continue with the provider');
    await ada.sees('This one');

    ada.expectRefusal('403 /users/me/passkeys/options');
    await ada.press('Add a passkey');
    await ada.press('Add it');
    await ada.sees('Please log in again. You will come back to this page.');
    await ada.submit('Continue with the provider');
    await ada.submit('Continue', { 'Who are you?': 'hedy' });

    await ada.sees('This one');
    expect(ada.path).toBe('/ui/security');
    const proofs = `SELECT s.authenticated_at > now() - interval '1 minute' FROM sessions s JOIN users u ON u.id = s.user_id
                     WHERE u.email = $1 AND s.invalidated_at IS NULL`;
    expect(await stage.app.database.rows(proofs, [email])).toEqual([{ '?column?': true }]);
  });

  it('links a login under another address from the account, after a proof', async () => {
    const email = await verified(stage.app);
    const radia = await stage.visitor();
    staff.accounts.set('radia', { sub: 'radia', email: 'radia@elsewhere.example', email_verified: true });
    await radia.logIn(email);
    await age(stage, email);
    radia.expectRefusal('403 /users/me/identities/staff/authorize-url');
    await radia.open('/account');
    await radia.submit('Link the provider staff');
    await radia.submit('Confirm', { 'Your password': PASSWORD });
    await radia.submit('Continue', { 'Who are you?': 'radia' });

    await radia.sees('the provider staff now logs you in.');
    await radia.sees('radia@elsewhere.example');
    expect(new URL(radia.page.url()).search).toBe('');
    await radia.page.reload();
    await radia.sees('radia@elsewhere.example');
    expect(await radia.page.getByText('now logs you in').count()).toBe(0);
  });

  it('says why it did not link a login', async () => {
    const [taken, hers] = [await stage.visitor(), await stage.visitor()];
    const email = freshAddress();
    staff.accounts.set('mary', { sub: 'mary', email, email_verified: true });
    await hers.open('/login');
    await hers.submit('Continue with the provider staff');
    await hers.submit('Continue', { 'Who are you?': 'mary' });
    await hers.sees(email);

    await taken.logIn(await verified(stage.app));
    await taken.open('/account');
    await taken.submit('Link the provider staff');
    await taken.submit('Continue', { 'Who are you?': 'mary' });
    await taken.sees('This login is linked to another account. Nothing has changed.');
    await taken.submit('Link the provider staff');
    await taken.submit('Continue', { 'Who are you?': 'cancel' });
    await taken.sees('The login was canceled.');
  });

  it('offers each provider by its title, beside the other ways that there are', async () => {
    const lin = await stage.visitor();
    const email = freshAddress();
    staff.accounts.set('lin', { sub: 'lin', email, email_verified: true });
    await lin.open('/login');
    await lin.sees('No account yet?');

    const offers = await lin.texts(lin.find('button'));
    expect(offers).toEqual([
      'Show',
      'Log in',
      'Log in with a passkey',
      'Continue with the provider',
      'Continue with the provider staff',
    ]);
    await lin.find('button', 'Continue with the provider staff').focus();
    await lin.page.keyboard.press('Enter');
    await lin.submit('Continue', { 'Who are you?': 'lin' });
    await lin.sees(email);
  });

  it('shows that the user cancelled it', async () => {
    const ada = await stage.visitor();
    await ada.open('/login');
    await ada.submit('Continue with the provider');
    await ada.submit('Continue', { 'Who are you?': 'cancel' });

    await ada.sees('The login was canceled.');
    expect(await ada.cookie()).toBeUndefined();
  });

  it('joins the user to the organization of the invitation that it began with, once', async () => {
    const email = freshAddress();
    provider.accounts.set('grace', { sub: 'grace', email, email_verified: true });
    const link = await invitationOf(email);
    const grace = await joining(link, 'grace');
    await grace.sees('Leave');
    expect(grace.path).toBe('/ui/account');

    const other = await joining(await invitationOf(freshAddress()), 'grace');
    await other.sees('This invitation is no longer valid, or is for another address');
    expect(await other.cookie()).toBeUndefined();

    const again = await stage.visitor();
    again.expectRefusal('409 /invitations/accept');
    await again.open(await invitationOf(email));
    await again.follow('Log in to join');
    await again.submit('Continue with the provider');
    await again.submit('Continue', { 'Who are you?': 'grace' });
    await again.submit('Join with my account');
    await again.sees('You can leave an organization in your account');
  });

  it('has a sentence for each reason why it failed', async () => {
    const ada = await stage.visitor();
    const sentences = new Set<string>();
    for (const reason of REASONS) {
      await ada.open(`/login?error=${reason}`);
      sentences.add(await ada.text(ada.find('alert')));
    }
    expect(sentences.size).toBe(REASONS.length);
    expect(sentences).not.toContain('The login failed.');
    expect(sentences).not.toContain('');
  });

  it('shows that the provider has not verified the address', async () => {
    const ada = await stage.visitor();
    provider.accounts.set('eve', { sub: 'eve', email: freshAddress(), email_verified: false });
    await ada.open('/login');
    await ada.submit('Continue with the provider');
    await ada.submit('Continue', { 'Who are you?': 'eve' });

    await ada.sees('Your provider has not verified your email address.');
  });

  it('that fails for a user who is logged in leaves the way back to the account', async () => {
    const ada = await stage.visitor();
    const email = await verified(stage.app);
    await ada.logIn(email);
    await ada.open('/login?error=account_conflict');
    await ada.sees('This login is not linked to your account here.');
    await ada.sees(`You are still logged in as ${email}`);
    await ada.follow('Continue with this account');

    await ada.sees('Your account');
    await ada.sees(email);
  });
});

/** The link that an organization of its own mails to an address. */
async function invitationOf(email: string): Promise<string> {
  const org = await foundOrg(stage.app);
  await org.admin.post(`/orgs/${org.id}/invitations`, { email, role: 'member' });
  return linkIn(await stage.app.mailbox.last(email));
}

/** A browser that follows the link of an invitation, and logs in at the provider as a person. */
async function joining(link: string, who: string): Promise<Visitor> {
  const visitor = await stage.visitor();
  await visitor.open(link);
  await visitor.submit('Join with the provider');
  await visitor.submit('Continue', { 'Who are you?': who });
  return visitor;
}
