import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import { activeSessions, loggedInAs } from '../support/accounts.js';
import { foundOrg, joinOrg, type Member, type TestOrg } from '../support/orgs.js';
import { until } from '../support/until.js';
import { CONSOLE, systemAdmin } from './console.js';
import { consultant } from './consultant.js';
import { looksRight } from './looks.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

/** As long as a name may be, in words of which one does not fit on a phone. */
const LONG_NAME = `${'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk'.padEnd(60, 'e')} & Söhne`;
const REASON = 'Ticket 4711: her report is empty';

let stage: Stage;
let org: TestOrg;
let user: Member;
beforeAll(async () => {
  stage = await Stage.inDev({ SVC_ACTING: 'on', SVC_ORGS_PER_USER: '5' });
  org = await foundOrg(stage.app, LONG_NAME);
  user = await joinOrg(stage.app, org, Role.ORG_ADMIN);
});
afterAll(() => stage.stop());

/** Begins to act for a user in the dialog of their screen, and waits for the banner. */
async function begin(root: Visitor, { write = false, orgName = LONG_NAME } = {}): Promise<void> {
  await root.open(`${CONSOLE}/user?id=${user.id}`);
  await root.press('Act for this user…');
  if (write) await root.tick('I also need to make changes');
  await root.choose('Organization', orgName);
  await root.submit('Begin', { Reason: REASON });
  await root.sees('You are acting for');
}

describe('a system admin', () => {
  it('acts for a user from their screen on, only looks, and stops', async () => {
    const root = await systemAdmin(stage);
    await root.open(`${CONSOLE}/user?id=${user.id}`);
    await root.press('Act for this user…');
    await root.sees('We tell the user at once by email');
    await looksRight(root, 'acting-dialog');
    await root.submit('Begin', { Reason: REASON });

    await root.sees(`We have told ${user.email} by email that you use the account.`);
    await root.sees('You can look, and change nothing.');
    await root.sees(LONG_NAME, root.find('complementary', 'Acting for a user'));
    expect(root.path).toBe('/ui/account');
    expect((await stage.app.mailbox.last(user.email)).text).toContain(REASON);
    await looksRight(root, 'acting-banner');

    await root.press('Change your name');
    root.expectRefusal('403 /users/me');
    await root.submit('Save', { Name: 'Somebody else' });
    await root.sees('You cannot do this while you act for the user.');
    await root.press('Cancel');
    await root.press('Stop acting for this user');
    await root.sees(`You no longer act for ${user.email}.`);
    expect(root.path).toBe(`/admin/user?id=${user.id}`);
    expect(await root.find('complementary', 'Acting for a user').count()).toBe(0);
  });

  it('sees on every page, and in the console of the organization, that they act, also where they may write', async () => {
    const root = await systemAdmin(stage);
    await begin(root, { write: true });
    await root.sees('You can make changes, and each is recorded as yours.');

    for (const page of ['/security', `${CONSOLE}/organization`, `${CONSOLE}/activity`]) {
      await root.open(page);
      await root.sees('You can make changes, and each is recorded as yours.');
      await root.hasLoaded();
    }
    await root.open(`${CONSOLE}/organization`);
    await root.sees('Rules for access');
    await looksRight(root, 'acting-console');
    await root.open('/security');
    await root.sees('This one');
    await looksRight(root, 'acting-security');
  });

  it('acts in no organization, and is told so', async () => {
    const root = await systemAdmin(stage);
    await begin(root, { orgName: 'None' });

    await root.sees('in no organization.');
    const { data } = (await user.get('/sessions')).body;
    const own = data.filter(({ acting }: { acting?: { actor_id: string } }) => acting?.actor_id === root.id);
    expect(own).toEqual([
      expect.objectContaining({ acting: { actor_id: root.id, org_id: null, write: false } }),
    ]);
  });

  it('is logged out of the account by its owner, and logs in again', async () => {
    const root = await systemAdmin(stage);
    await begin(root);
    await root.follow('Security');
    await root.sees('Began to act for a user (by an administrator)');
    const { data } = (await user.get('/sessions')).body;
    for (const { id, acting } of data) if (acting?.actor_id === root.id) await user.delete(`/sessions/${id}`);

    await root.follow('Account');
    await root.sees('Please log in.');
  });

  it('does all of it without a mouse', async () => {
    const root = await systemAdmin(stage, { hasMouse: false });
    await root.open(`${CONSOLE}/user?id=${user.id}`);
    await root.press('Act for this user…');
    await root.submit('Begin', { Reason: REASON });
    await root.sees('You are acting for');
    await root.press('Stop acting for this user');

    await root.sees(`You no longer act for ${user.email}.`);
  });

  it.each([
    ['themselves', async (root: Visitor & { id: string }) => root.id],
    ['another system admin', async () => (await loggedInAs(stage.app, 'sys_admin')).id],
    [
      'a disabled user',
      async () => {
        const { id } = await loggedInAs(stage.app, 'member');
        await stage.app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [id]);
        return id;
      },
    ],
  ])('cannot act for %s', async (_, idOf) => {
    const root = await systemAdmin(stage);
    await root.open(`${CONSOLE}/user?id=${await idOf(root)}`);
    await root.sees('Events in the last 30 days');
    await root.hasLoaded();

    expect(await root.find('button', 'Act for this user…').count()).toBe(0);
  });
});

describe('an organization', () => {
  it('refuses it by a rule that its admin sets, which the dialog then says', async () => {
    const ada = await consultant(stage, ['Analytical', 'org_admin']);
    await ada.open(`${CONSOLE}/organization?id=${ada.orgs[0]}`);
    await ada.sees(`Administrators of Latchkey may act for members`);
    await ada.press('Change: Acting for members');
    await looksRight(ada, 'acting-rule');
    await ada.tick('Administrators of Latchkey may act for members');
    await ada.press('Save');
    await ada.sees('Nobody may act for members');
    await until(
      async () =>
        (await stage.app.database.value(
          'SELECT policy_acting FROM organizations WHERE id = $1',
          ada.orgs,
        )) === false,
    );

    const root = await systemAdmin(stage);
    await root.open(`${CONSOLE}/user?id=${ada.id}`);
    await root.press('Act for this user…');
    root.expectRefusal('409 /users/{id}/act');
    await root.submit('Begin', { Reason: REASON });
    await root.sees('This organization lets nobody act for its members.', root.find('dialog'));
    await looksRight(root, 'acting-refused');
    expect(await activeSessions(stage.app, ada)).toBe(1);
  });
});
