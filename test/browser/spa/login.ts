import { api } from './api.js';
import { onSubmit } from './form.js';
import { go, say } from './navigation.js';
import { find, type Page } from './view.js';

/** Why a login through the identity provider failed. */
const REASONS: Record<string, string> = {
  access_denied: 'The login was cancelled.',
  invalid_state: 'The login took too long. Please try again.',
  email_not_verified: 'The provider has not verified your address.',
  invitation_required: 'You need an invitation to join.',
  invitation_invalid:
    'This invitation is not good any more, or is for another address than that of your account.',
  invitation_conflict: 'Your account belongs to another organization. Leave it before you join this one.',
  account_disabled: 'This account is disabled.',
  account_conflict: 'Your address belongs to another account at the provider.',
  too_many_requests: 'Too many logins came from your network. Please wait some minutes, and try again.',
  provider_error: 'The provider does not answer as it should. Please try again.',
};

export const login: Page = (view, query) => {
  const reason = query.get('error');
  if (reason) say(REASONS[reason] ?? 'The login failed.');
  const returnTo = addressWithin(query.get('return_to') ?? '/');

  onSubmit(find(view, '#password'), async ({ email = '', password = '' }) => {
    await api('post', '/auth/login', { body: { email, password } });
    go(returnTo.href);
  });
  onSubmit(find(view, '#provider'), async () => {
    const return_to = returnTo.pathname + returnTo.search;
    const { authorization_url } = await api('get', '/auth/oauth/idp/authorize-url', { query: { return_to } });
    location.assign(authorization_url);
  });
};

/** Anybody can write a link to this page: what it returns to stays within the application. */
function addressWithin(address: string): URL {
  const url = URL.parse(address, location.origin);
  return url?.origin === location.origin ? url : new URL(location.origin);
}
