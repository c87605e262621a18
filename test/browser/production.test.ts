import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { preflight } from '../../src/config/preflight/preflight.js';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { IdentityProvider } from '../support/identity-provider.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { linkIn } from '../support/mails.js';
import { until } from '../support/until.js';
import { Stage } from './stage.js';

let mailapi: MailapiStandIn;
let provider: IdentityProvider;
let stage: Stage;
beforeAll(async () => {
  mailapi = await MailapiStandIn.start();
  provider = await IdentityProvider.start('https://api.latchkey.test/auth/oauth/idp/callback');
  const variables = { ...mailapi.variables, ...provider.variables, SVC_CRON_SCHEDULE: '0 3 * * *' };
  stage = await Stage.inProd(variables);
});
afterAll(async () => {
  await stage.stop();
  await provider.stop();
  await mailapi.close();
});

describe('in prod', () => {
  it('the preflight finds no fault but the provider on loopback', () => {
    const faults = preflight(stage.app.environment).map(({ code }) => code);

    expect(new Set(faults)).toEqual(new Set(['ADDRESS_NOT_HTTPS']));
  });

  it('a user gets from signup to the account over HTTPS, with a Strict cookie', async () => {
    const ada = await stage.visitor();
    const email = freshAddress();
    await ada.open('/signup');
    await ada.submit('Sign up', { Email: email, Password: PASSWORD });
    await ada.sees('We have sent a link');
    await until(() => mailapi.delivered.length > 0);
    const [mail] = mailapi.delivered;
    await ada.open(linkIn(mail ?? { text: '' }));
    await ada.submit('Confirm my address');
    await ada.sees('Your account');

    const attributes = { domain: 'api.latchkey.test', path: '/', httpOnly: true, secure: true };
    expect(await ada.cookie('__Host-session')).toMatchObject({ ...attributes, sameSite: 'Strict' });
    expect(await ada.cookie('__Host-session_device')).toMatchObject({ ...attributes, sameSite: 'Lax' });
    expect(await ada.cookie('__Host-session_signup')).toMatchObject({ ...attributes, sameSite: 'Strict' });
    expect(await ada.cookie('__Host-session_code')).toMatchObject({ ...attributes, sameSite: 'Strict' });
    expect(await ada.page.evaluate('document.cookie')).toBe('');
  });

  it('a user comes back from the provider logged in, although the cookie is Strict', async () => {
    const ada = await stage.visitor();
    const email = freshAddress();
    provider.accounts.set('ada', { sub: 'ada', email, email_verified: true });
    await ada.open('/login?return_to=/ui/security');
    await ada.submit('Continue with the provider');
    await ada.submit('Continue', { 'Who are you?': 'ada' });

    await ada.sees('This one');
    expect(ada.page.url()).toBe('https://api.latchkey.test/ui/security');
    await ada.follow('Account');
    await ada.sees(email);
  });
});
