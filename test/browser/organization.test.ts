import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD, verified } from '../support/accounts.js';
import { linkIn } from '../support/mails.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev();
});
afterAll(() => stage.stop());

describe('an organization', () => {
  it('is created at signup, and a person without an account joins it by invitation', async () => {
    const ada = await founder('Analytical');
    const email = freshAddress();
    const link = await invite(ada, email);

    const charles = await stage.visitor();
    await charles.open(link);
    await charles.sees('You are invited to join Analytical');
    await charles.submit('Join', { Password: PASSWORD, Name: 'Charles' });
    await charles.sees('You belong to Analytical now.');
    await charles.logIn(email);
    await charles.follow('Organization');

    await charles.sees('Members');
    expect(await charles.page.getByRole('listitem').count()).toBe(2);
    expect(await charles.text()).not.toContain('Invite');
  });

  it('lets a user with an account join after a login', async () => {
    const ada = await founder('Differential');
    const email = await verified(stage.app);
    const link = await invite(ada, email);

    const charles = await stage.visitor();
    await charles.open(link);
    await charles.submit('Join with my account');
    await charles.sees('Please log in.');
    await charles.submit('Log in', { Email: email, Password: PASSWORD });
    await charles.submit('Join with my account');

    await charles.sees('You belong to Differential now.');
  });

  it('lets a user who was logged in to another account join, once they log in to the right one', async () => {
    const ada = await founder('Tabulating');
    const email = await verified(stage.app);
    const link = await invite(ada, email);

    const charles = await stage.visitor();
    await charles.logIn(await verified(stage.app));
    await charles.open(link);
    await charles.submit('Join with my account');
    await charles.sees('This invitation is for another address');
    await charles.submit('Log in to the other account');
    await charles.submit('Log in', { Email: email, Password: PASSWORD });
    await charles.submit('Join with my account');

    await charles.sees('You belong to Tabulating now.');
  });

  it('lets its admin revoke an invitation', async () => {
    const ada = await founder('Mechanical');
    const email = freshAddress();
    const link = await invite(ada, email);
    await ada.submit('Revoke');
    await ada.sees(`${email} is not invited any more.`);

    const charles = await stage.visitor();
    await charles.open(link);
    await charles.sees(/link .*(used|expired|valid)/);
    await charles.sees('ask the person who invited you');
    expect(await charles.text()).not.toContain('Mechanical');
  });
});

/** A user who has created an organization, and sees its page. */
async function founder(name: string): Promise<Visitor> {
  const visitor = await stage.visitor();
  const email = freshAddress();
  await visitor.open('/signup');
  await visitor.submit('Sign up', { Email: email, Password: PASSWORD, Organization: name });
  await visitor.sees('We have sent a link');
  await visitor.open(linkIn(await stage.app.mailbox.last(email)));
  await visitor.submit('Confirm my address');
  await visitor.sees('Your account');
  await visitor.follow('Organization');
  return visitor;
}

/** Invites an address, and returns the link it is mailed. */
async function invite(admin: Visitor, email: string): Promise<string> {
  await admin.submit('Invite', { Email: email });
  await admin.sees(`${email} is invited.`);
  return linkIn(await stage.app.mailbox.last(email));
}
