import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD, verified } from '../support/accounts.js';
import { linkIn } from '../support/mails.js';
import { foundOrg, place } from '../support/orgs.js';
import { until } from '../support/until.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev();
});
afterAll(() => stage.stop());

describe('an organization', () => {
  it('is created at signup; its founder may manage it, leave it, and found another', async () => {
    const ada = await stage.visitor();
    const email = freshAddress();
    await ada.open('/signup');
    await ada.submit('Sign up', { Email: email, Password: PASSWORD, Organization: 'Analytical' });
    await ada.sees('We have sent a link');
    await ada.open(linkIn(await stage.app.mailbox.last(email)));
    await ada.submit('Confirm my address');
    await ada.find('link', 'Manage Analytical').waitFor();

    await ada.press('Leave Analytical');
    await ada.sees('You are its only member, so the organization will be deleted.');
    await ada.press('Leave');
    await ada.sees('You have left Analytical.');
    await ada.sees('You belong to no organization.');
    await until(() => isAtHeading(ada));
    expect(await stage.app.database.rows(`SELECT FROM organizations WHERE name = 'Analytical'`)).toEqual([]);

    await ada.press('Create an organization');
    await ada.submit('Create', { 'Name of the organization': 'Engines' });
    await ada.sees('You have created Engines, and are its admin.');
    await until(() => isAtHeading(ada));
    await ada.find('link', 'Manage Engines').waitFor();
  });

  it('takes a person without an account by invitation, who is then logged in', async () => {
    const { email, link } = await invited(freshAddress(), 'Differential');
    const charles = await stage.visitor();
    charles.expectRefusal('400 /invitations/accept');
    await charles.open(link);
    await charles.sees('You are invited to join Differential');
    await charles.sees('You will be a member.');
    expect(charles.path).toBe('/ui/accept-invitation');
    await charles.submit('Join', { Password: 'password1' });
    await charles.sees('This is one of the most used passwords.');
    await charles.submit('Join', { Password: PASSWORD, Name: 'Charles' });

    await charles.sees('You are now a member of Differential.');
    await charles.sees('Charles');
    await charles.sees(email);
    await charles.find('button', 'Leave Differential').waitFor();
    expect(await charles.text()).not.toContain('Manage');
  });

  it('leads a person to the login who has joined, but whose login then failed', async () => {
    const { email, link } = await invited(freshAddress());
    const charles = await stage.visitor();
    charles.expectRefusal('404 /auth/login', '400 /invitations/accept');
    await charles.open(link);
    await charles.page.route('**/auth/login', (route) => route.fulfill({ status: 404, body: '' }), {
      times: 1,
    });
    await charles.submit('Join', { Password: PASSWORD });
    await charles.sees('The service cannot be reached.');
    await charles.press('Join');
    await charles.sees('If you have already joined, log in.');
    await charles.follow('Log in');
    await charles.submit('Log in', { Email: email, Password: PASSWORD });

    await charles.find('button', 'Leave Tabulating').waitFor();
  });

  it('lets a user with an account join after a login', async () => {
    const { email, link } = await invited(await verified(stage.app));
    const charles = await stage.visitor();
    await charles.open(link);
    await charles.follow('Log in to join');
    await charles.submit('Log in', { Email: email, Password: PASSWORD });
    await charles.submit('Join with my account');

    await charles.sees('You are now a member of Tabulating.');
  });

  it('lets a user who was logged in to another account join, once they log in to the right one', async () => {
    const { email, link } = await invited(await verified(stage.app));
    const charles = await stage.visitor();
    const other = await verified(stage.app);
    await charles.logIn(other);
    await charles.open(link);
    await charles.sees(`You are logged in as ${other}, but this invitation is for ${email}.`);
    await charles.submit('Log out and continue');
    await charles.sees('Please log in.');
    await charles.submit('Log in', { Email: email, Password: PASSWORD });
    await charles.submit('Join with my account');

    await charles.sees('You are now a member of Tabulating.');
  });

  it('does not take a user who belongs to another one, and says what to do', async () => {
    const { email, link } = await invited(await verified(stage.app));
    const { id } = await foundOrg(stage.app);
    await place(stage.app.database, email, id);
    const charles = await stage.visitor();
    charles.expectRefusal('409 /invitations/accept');
    await charles.logIn(email);
    await charles.open(link);
    await charles.submit('Join with my account');

    await charles.sees('You can leave an organization in your account');
  });

  it('is declined only after a question', async () => {
    const { email, link } = await invited(freshAddress());
    const charles = await stage.visitor();
    await charles.open(link);
    await charles.press('Decline');
    await charles.sees('Decline this invitation?');
    await charles.press('Cancel');
    expect((await invitationOf(email)).declined_at).toBe(null);

    await charles.press('Decline');
    await charles.press('Decline');
    await charles.sees('You have declined to join Tabulating.');
    expect((await invitationOf(email)).declined_at).not.toBe(null);
  });

  it('leads the person who is invited to administer it to what there is to set up', async () => {
    const { link } = await invited(freshAddress(), 'Governed', 'org_admin');
    const charles = await stage.visitor();
    await charles.open(link);
    await charles.submit('Join', { Password: PASSWORD });

    await charles.sees('You are now a member of Governed.');
    expect(charles.path).toBe('/admin/organization');
    await charles.hasLoaded();
  });

  it('says what to do at the link of an invitation that was taken back', async () => {
    const { id, admin, email, link } = await invited(freshAddress(), 'Mechanical');
    await admin.delete(`/orgs/${id}/invitations/${(await invitationOf(email)).id}`);
    const charles = await stage.visitor();
    charles.expectRefusal('400 /invitations/preview');
    await charles.open(link);

    await charles.sees('This link is no longer valid');
    await charles.sees('ask the person who invited you');
    expect(await charles.text()).not.toContain('Mechanical');
  });
});

/** An address that an organization of its own has invited, and the link in the mail there. */
async function invited(email: string, name = 'Tabulating', role = 'member') {
  const { id, admin } = await foundOrg(stage.app, name);
  await admin.post(`/orgs/${id}/invitations`, { email, role });
  return { id, admin, email, link: linkIn(await stage.app.mailbox.last(email)) };
}

async function invitationOf(email: string): Promise<{ id: string; declined_at: Date | null }> {
  const [invitation] = await stage.app.database.rows('SELECT * FROM invitations WHERE email = $1', [email]);
  return invitation as { id: string; declined_at: Date | null };
}

/** Whether the focus is at a heading, from where the keyboard goes on. */
function isAtHeading({ page }: Visitor): Promise<boolean> {
  return page.evaluate('/^H[12]$/.test(document.activeElement.tagName)');
}
