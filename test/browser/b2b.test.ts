import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedInAs, PASSWORD } from '../support/accounts.js';
import { addApp } from '../support/authenticator-app.js';
import { linkIn } from '../support/mails.js';
import { foundOrg } from '../support/orgs.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev({ SVC_APP_MODE: 'b2b', SVC_ORGS_PER_USER: '2' });
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

  it('an admin asks the system admins to reset the factors of a member, who may belong to others too', async () => {
    const root = await loggedInAs(stage.app, 'sys_admin');
    const { admin, member } = await foundOrg(stage.app);
    await addApp(stage.app, { browser: member, id: member.id });
    const ada = await stage.visitor();
    await ada.logIn(admin.email);
    await ada.open('http://localhost:3000/admin');
    await ada.press(`Reset factors of ${member.email}`);
    await ada.sees('Only system admins can remove second factors');
    await ada.press('Ask for it');
    await ada.sees(`We have asked the system admins to reset the second factors of ${member.email}.`);

    await ada.sees('Set up', ada.row(member.email));
    expect((await stage.app.mailbox.last(root.email)).subject).toBe(
      'A user needs their second factors reset',
    );
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
