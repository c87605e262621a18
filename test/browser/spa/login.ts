import { api } from './api.js';
import { onSubmit } from './form.js';
import { go, goOn, sayFault } from './navigation.js';
import { offerPasskeys } from './passkey-login.js';
import { offerProviders } from './providers.js';
import { resend } from './signup.js';
import { find, type Page } from './view.js';

/** Why a login through the identity provider failed. */
const REASONS: Record<string, string> = {
  access_denied: 'The login was cancelled.',
  invalid_state: 'The login took too long, or began in another browser. Please try again.',
  email_not_verified: 'The provider has not verified your address. Confirm it there, and try again.',
  invitation_required: 'You need an invitation to join. If you have one, open the link in its mail.',
  invitation_invalid:
    'This invitation has ended, or is for another address than that of your account at the provider.',
  invitation_conflict: 'Your account belongs to another organization. Leave it before you join this one.',
  invitation_login_first: 'Log in first, with your second step. Then open the link of the invitation again.',
  account_disabled: 'This account is disabled.',
  account_conflict:
    'Your account here belongs to another login at the provider. Use that one, or your password.',
  too_many_requests: 'Too many logins came from your network. Please wait some minutes, and try again.',
  provider_error: 'The provider does not answer as it should. Please try again.',
};

/** Offers what the service names. The forms work by then, so that none sends a password in the address. */
export const login: Page = async (view, query, left) => {
  const reason = query.get('error');
  if (reason) sayFault(REASONS[reason] ?? 'The login failed.');
  const returnTo = addressWithin(query.get('return_to') ?? '/');

  const form = find<HTMLFormElement>(view, '#password');
  onSubmit(form, async ({ email = '', password = '' }) => {
    const login = await api('post', '/auth/login', { body: { email, password } });
    goOn(login, returnTo.href);
  });
  onSubmit(find(view, '#resend'), () => resend(String(new FormData(form).get('email'))));

  const { passkey, providers, signup } = await api('get', '/auth/methods');
  if (passkey)
    offerPasskeys(find(view, '#passkey'), find(form, '[name="email"]'), left, () => go(returnTo.href));
  const return_to = returnTo.pathname + returnTo.search;
  offerProviders(find(view, '#providers'), providers, 'Continue with', { return_to });
  find(view, '#no-account').hidden = !signup;
};

/** An attacker can write a link to this page: what it returns to stays within the application. */
export function addressWithin(address: string): URL {
  const url = URL.parse(address, location.origin);
  return url?.origin === location.origin ? url : new URL(location.origin);
}
