import { expect, it } from '@jest/globals';
import { freshAddress } from '../../support/accounts.js';
import { loginThrough, startWithProvider } from '../../support/identity-provider.js';

it('lets 50 logins through the provider run at once, three of them in one browser', async () => {
  const { app, provider, stop } = await startWithProvider();
  const newAccount = () => ({ sub: freshAddress(), email: freshAddress(), email_verified: true });
  const shared = app.browser();
  const browsers = Array.from({ length: 50 }, (_, index) => (index < 3 ? shared : app.browser()));

  const answers = await Promise.all(browsers.map((browser) => loginThrough(provider, browser, newAccount())));

  for (const answer of answers) expect(answer.headers.location).toBe('http://localhost:5173/');
  await stop();
});
