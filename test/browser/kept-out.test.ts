import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PASSWORD } from '../support/accounts.js';
import { until } from '../support/until.js';
import { CONSOLE } from './console.js';
import { type Consultant, consultant } from './consultant.js';
import { inPage, looksRight } from './looks.js';
import { Stage } from './stage.js';

// What an organization keeps its admin out for, and where the pages say so.

/** A long word in it, as some companies have. */
const LONG =
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft & Sohn in Linz';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.inDev({ SVC_ORGS_PER_USER: '5' });
});
afterAll(() => stage.stop());

const impose = (orgId: string | undefined, column: string, value: unknown) =>
  stage.app.database.rows(`UPDATE organizations SET ${column} = $2 WHERE id = $1`, [orgId, value]);

const suspend = (ada: Consultant, orgId: string | undefined) =>
  stage.app.database.rows('UPDATE memberships SET suspended_at = now() WHERE user_id = $1 AND org_id = $2', [
    ada.id,
    orgId,
  ]);

const pause = (ada: Consultant) =>
  stage.app.database.rows(
    `UPDATE sessions SET last_seen_at = now() - interval '7 minutes' WHERE user_id = $1`,
    [ada.id],
  );

describe('an admin whom their only organization has suspended', () => {
  it('reads so in the console and in the account, and whom to ask', async () => {
    const ada = await consultant(stage, [LONG, 'org_admin']);
    await suspend(ada, ada.orgs[0]);
    const said = `Your membership of ${LONG} is suspended. Ask one of its admins about it.`;

    for (const address of ['', '/organization', `/activity?org_id=${ada.orgs[0]}`]) {
      await ada.open(CONSOLE + address);
      await ada.sees(said);
      expect(await ada.text()).not.toContain('nothing for you to administer');
    }
    await looksRight(ada, 'kept-out-suspended-console');
    await ada.page.locator('main a[href$="/ui/account"]').click();
    await ada.sees(said);
    await looksRight(ada, 'kept-out-suspended-account');
  });
});

describe('an admin of two organizations, of which one has suspended them', () => {
  it('reads so where the address names it, and goes on to the other', async () => {
    const ada = await consultant(stage, ['Analytical', 'org_admin'], ['Differential', 'org_admin']);
    await suspend(ada, ada.orgs[0]);
    ada.expectRefusal(`403 /orgs/${ada.orgs[0]}`);

    await ada.open(`${CONSOLE}/organization?id=${ada.orgs[0]}`);
    await ada.sees('Your membership of Analytical is suspended. Ask one of its admins about it.');
    await ada.follow('Your organizations');
    await ada.find('heading', 'Differential').waitFor();
  });
});

describe('an admin in a network that their organization does not let in', () => {
  it('reads so in the console, with the ways to the account and to another organization', async () => {
    const ada = await consultant(stage, [LONG, 'org_admin'], ['Differential', 'org_admin']);
    await impose(ada.orgs[0], 'policy_networks', ['192.0.2.0/24']);
    ada.expectRefusal(`403 /orgs/${ada.orgs[0]}`, '403 /audit-events');

    await ada.open(`${CONSOLE}/organization?id=${ada.orgs[0]}`);
    await ada.sees(
      `The rules of ${LONG} do not let in the network that you use now. Use another network, or ask one of its admins.`,
    );
    await looksRight(ada, 'kept-out-network');
    await ada.follow('Your organizations');
    await ada.find('link', 'Differential').waitFor();
    await ada.open(`${CONSOLE}/activity?org_id=${ada.orgs[0]}`);
    await ada.page.locator('main a[href$="/ui/account"]').click();
    await ada.sees('You cannot use it from this network.');
  });

  it('reads so too where it happens while a screen is open', async () => {
    const ada = await consultant(stage, ['Analytical', 'org_admin']);
    await ada.open(`${CONSOLE}/organization?id=${ada.orgs[0]}`);
    await ada.sees('Rules for access');
    await impose(ada.orgs[0], 'policy_networks', ['192.0.2.0/24']);
    ada.expectRefusal(`403 /orgs/${ada.orgs[0]}`);
    await ada.press('Rename');
    await ada.submit('Save', { Name: 'Other' });
    await ada.sees(
      'The rules of this organization do not let in the network that you use now. Use another network, or ask an admin of the organization.',
    );
  });
});

describe('a user who paused longer than an organization allows', () => {
  let ada: Consultant;
  beforeEach(async () => {
    ada = await consultant(stage, [LONG, 'org_admin'], ['Differential', 'member']);
    await impose(ada.orgs[0], 'policy_idle_minutes', 5);
    await pause(ada);
  });
  afterEach(() => ada.page.close());

  it('reads so in the account, and confirms there that it is them', async () => {
    ada.expectRefusal(`403 /orgs/${ada.orgs[0]}`);
    await ada.open('/account');
    await ada.sees('You paused for longer than it allows. To use it, confirm that it is you.');
    await looksRight(ada, 'kept-out-idle-account');

    await ada.press(`Confirm that it is you, to use ${LONG}`);
    await ada.sees('This organization requires a fresh confirmation that it is you after a pause.');
    await ada.sees(LONG, ada.find('dialog'));
    await looksRight(ada, 'kept-out-idle-dialog');
    await ada.submit('Confirm', { 'Your password': PASSWORD });
    await ada.sees(`You can use ${LONG} now.`);
    expect(await ada.text()).not.toContain('You paused');
  });
});

describe('a user of whom an organization asks for a second factor', () => {
  it('is led to the place where one is set up, and reads which organization asks for it', async () => {
    const ada = await consultant(stage, [LONG, 'org_admin'], ['Differential', 'member']);
    await impose(ada.orgs[0], 'second_factor_required_at', new Date());
    await ada.open('/account');
    await ada.page.setViewportSize({ width: 320, height: 480 });
    await ada.follow('Set one up: a second factor');
    await ada.sees(
      `To use ${LONG}, you need a second factor: set up an authenticator app here, or add a passkey above.`,
    );

    await until(() =>
      inPage(
        ada.page,
        `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.getElementById('second-step-at-login').getBoundingClientRect())`,
      ),
    );
    expect(new URL(ada.page.url()).hash).toBe('#second-step-at-login');
    await looksRight(ada, 'kept-out-factor');
    await ada.follow('Back');
    await ada.arrivesAt('/ui/account');
  });
});

describe('the activity of an organization', () => {
  it('is called after it, in the title and the heading, and offers no acts of the service', async () => {
    const ada = await consultant(stage, [LONG, 'org_admin'], ['Differential', 'org_admin']);
    await ada.open(`${CONSOLE}/organization?id=${ada.orgs[0]}`);
    await ada.press('Rename');
    await ada.submit('Save', { Name: `${LONG}.` });
    await ada.find('heading', `${LONG}.`).waitFor();
    await ada.open(`${CONSOLE}/activity?org_id=${ada.orgs[0]}`);
    await ada.find('heading', `Activity in ${LONG}.`).waitFor();
    expect(await ada.page.title()).toContain(`${LONG}.`);
    await ada.row('Organization changed').first().waitFor();
    await looksRight(ada, 'kept-out-activity');
    const offered = await ada.text(ada.field('What'));
    expect(offered).toContain('Membership suspended');
    for (const act of ['Cron run', 'Test email sent', 'Events sent to a back end again'])
      expect(offered).not.toContain(act);

    await ada.open('/security');
    await ada.sees(`Organization: ${LONG}.`);
    await looksRight(ada, 'kept-out-recent-activity');
  });
});
