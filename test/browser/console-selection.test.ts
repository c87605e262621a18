import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedInAs, verified } from '../support/accounts.js';
import { foundOrg } from '../support/orgs.js';
import { CONSOLE, systemAdmin } from './console.js';
import { looksRight } from './looks.js';
import { Stage } from './stage.js';
import { age } from './virtual-authenticator.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev();
});
afterAll(() => stage.stop());

/** Some users with the same surname. */
async function family(name: string, size: number): Promise<string[]> {
  const emails = [];
  for (let count = 0; count < size; count++) {
    const email = await verified(stage.app);
    await stage.app.database.rows('UPDATE users SET name = $1 WHERE email = $2', [`Ada ${name}`, email]);
    emails.push(email);
  }
  return emails;
}

describe('several users', () => {
  it('are found by a part of the name and disabled together, with one proof and without a mouse', async () => {
    const root = await systemAdmin(stage, { hasMouse: false });
    const [one = '', two = '', three = ''] = await family('Byron', 3);
    await age(stage, root.email);

    await root.open(`${CONSOLE}/users`);
    await root.submit('Filter', { 'Name, email or ID': 'BYRO' });
    await root.page.waitForURL(/search=/);
    await root.sees('3 users');
    await root.tick(`Select ${one}`);
    await root.tick(`Select ${three}`);
    await root.sees('2 users selected');
    await looksRight(root, 'console-users-selected');
    await root.press('Disable 2 users');
    await root.sees('They are logged out at once');
    root.expectRefusal('403 /users/{id}');
    await root.press('Disable');
    await root.submit('Confirm', { Password: 'correct horse battery staple' });

    await root.sees('All done.');
    await looksRight(root, 'console-users-disabled');
    await root.press('Close');
    const disabled = await stage.app.database.rows(
      'SELECT email FROM users WHERE disabled_at IS NOT NULL AND email = ANY ($1) ORDER BY id',
      [[one, two, three]],
    );
    expect(disabled.map(({ email }) => email)).toEqual([one, three]);
  });

  it('each have an answer, where one of them cannot be changed', async () => {
    const root = await systemAdmin(stage);
    await family('Lovelace', 2);
    const org = await foundOrg(stage.app);
    await stage.app.database.rows(`UPDATE users SET name = 'Ada Lovelace' WHERE id = $1`, [org.admin.id]);

    await root.open(`${CONSOLE}/users?search=lovelace&sort=-role`);
    await root.tick('Select all users on this page');
    await root.press('Change role of 3 users');
    root.expectRefusal('409 /users/{id}');
    await root.choose('Role', 'Read-only');
    await root.press('Change role');

    await root.sees('2 of 3 done.');
    await root.sees('The organization would be left without an admin.');
    await root.press('Close');
  });
});

describe('many invitations', () => {
  it('are pasted as a mail has them, and each address has its answer', async () => {
    const org = await foundOrg(stage.app);
    const admin = await stage.visitor();
    await admin.logIn(org.admin.email);
    const fresh = freshAddress();

    await admin.open(`${CONSOLE}/organization`);
    await admin.press('Invite many');
    await admin.sees('separated by commas');
    await looksRight(admin, 'console-invite-many');
    await admin.submit('Invite them', {
      'Email addresses': `Ada <${fresh}>, ${org.member.email}\n nobody@; ${fresh}`,
    });

    await admin.sees('1 of 3 done.');
    await admin.sees('This address belongs to a member of the organization.');
    await admin.sees('This is not an email address.');
    await looksRight(admin, 'console-invited-many');
    await admin.press('Close');
    expect(await stage.app.mailbox.token(fresh)).not.toBe('');
  });
});

describe('the filters', () => {
  it('fold behind one button on a phone', async () => {
    const root = await systemAdmin(stage);
    const { email } = await loggedInAs(stage.app, 'member');
    await root.page.setViewportSize({ width: 390, height: 800 });
    await root.open(`${CONSOLE}/users`);
    await root.sees(email);

    expect(await root.field('Name, email or ID').isVisible()).toBe(false);
    await root.press('Filters');
    await root.submit('Filter', { 'Name, email or ID': 'nobody' });
    await root.sees('Nothing matches.');
    expect(await root.field('Name, email or ID').isVisible()).toBe(true);
    await looksRight(root, 'console-users-phone');
  });
});
