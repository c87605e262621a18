import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress } from '../support/accounts.js';
import { IdentityProvider } from '../support/identity-provider.js';
import { Stage } from './stage.js';

let provider: IdentityProvider;
let stage: Stage;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  stage = await Stage.inDev(provider.variables);
});
afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

describe('the login through the identity provider', () => {
  it('ends where it began, logged in', async () => {
    const ada = await stage.visitor();
    const email = freshAddress();
    provider.accounts.set('ada', { sub: 'ada', email, email_verified: true });
    await ada.open('/sessions');
    await ada.sees('Please log in.');
    await ada.submit('Continue with the provider');
    await ada.submit('Continue', { 'Who are you?': 'ada' });

    await ada.sees('(this one)');
    expect(ada.path).toBe('/sessions');
  });

  it('says so when it was cancelled', async () => {
    const ada = await stage.visitor();
    await ada.open('/login');
    await ada.submit('Continue with the provider');
    await ada.submit('Continue', { 'Who are you?': 'cancel' });

    await ada.sees('The login was cancelled.');
    expect(await ada.cookie()).toBeUndefined();
  });

  it('says so when the provider has not verified the address', async () => {
    const ada = await stage.visitor();
    provider.accounts.set('eve', { sub: 'eve', email: freshAddress(), email_verified: false });
    await ada.open('/login');
    await ada.submit('Continue with the provider');
    await ada.submit('Continue', { 'Who are you?': 'eve' });

    await ada.sees('The provider has not verified your address.');
  });
});
