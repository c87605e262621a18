import type { Answer, Browser } from './browser.js';
import { IdentityProvider, type ProviderAccount } from './identity-provider.js';
import { TestApp } from './test-app.js';

/** The service beside an identity provider it uses, and how both end. */
export async function startWithProvider(variables: Record<string, string> = {}) {
  const provider = await IdentityProvider.start();
  const app = await TestApp.start({ ...provider.variables, ...variables });
  const stop = async () => {
    await app.close();
    await provider.stop();
  };
  return { app, provider, stop };
}

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
