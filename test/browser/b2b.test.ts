import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedInAs, PASSWORD } from '../support/accounts.js';
import { linkIn } from '../support/mails.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev({ SVC_APP_MODE: 'b2b' });
});
afterAll(() => stage.stop());

describe('in B2B', () => {
  it('the admin of a new organization joins by the mailed link, and is logged in', async () => {
    const email = freshAddress();
    const root = await loggedInAs(stage.app, 'sys_admin');
    await root.post('/orgs', { name: 'Analytical', admin_email: email });

    const ada = await stage.visitor();
    await ada.open(linkIn(await stage.app.mailbox.last(email)));
    await ada.sees('You are invited to join Analytical');
    await ada.sees('You will be an admin.');
    await ada.submit('Join', { Password: PASSWORD });

    await ada.sees(`${email} (you)`);
    expect(ada.path).toBe('/admin/organization');
  });

  it('there is no page to sign up', async () => {
    const eve = await stage.visitor();
    eve.expectRefusal('404 /ui/signup');
    await eve.open('/signup');

    await eve.sees('Page not found');
  });

  it('the page to log in offers neither to sign up nor a provider that there is not', async () => {
    const eve = await stage.visitor();
    await eve.open('/login');
    await eve.sees('Forgot your password?');

    expect(await eve.text()).not.toMatch(/Sign up|Continue with/);
  });
});
