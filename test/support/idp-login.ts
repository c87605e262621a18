import type { Answer, Browser } from './browser.js';
import type { IdentityProvider, ProviderAccount } from './identity-provider.js';

/** Goes to the provider and comes back, as somebody there; answers with what the callback answers. */
export async function loginThrough(
  provider: IdentityProvider,
  browser: Browser,
  who: ProviderAccount | 'cancel',
  query = '',
): Promise<Answer> {
  return browser.get(await callbackAs(provider, browser, who, query));
}

/** Goes to the provider, and returns where it sends the browser back to. */
export async function callbackAs(
  provider: IdentityProvider,
  browser: Browser,
  who: ProviderAccount | 'cancel',
  query = '',
): Promise<string> {
  const { body } = await browser.get(`/auth/oauth/idp/authorize-url${query}`);
  return provider.authorize(body.authorization_url, who);
}

/** What a failed login answers. */
export function failure(reason: string) {
  return { status: 302, headers: { location: `http://localhost:5173/login?error=${reason}` } };
}
