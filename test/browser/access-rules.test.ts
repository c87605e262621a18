import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/until.js';
import { CONSOLE } from './console.js';
import { type Consultant, consultant } from './consultant.js';
import { looksRight } from './looks.js';
import { Stage } from './stage.js';

let stage: Stage;
let ada: Consultant;
beforeAll(async () => {
  stage = await Stage.inDev();
  ada = await consultant(stage, ['Analytical', 'org_admin']);
});
afterAll(() => stage.stop());

const stored = () =>
  stage.app.database.rows(
    `SELECT policy_idle_minutes AS idle, policy_age_minutes AS age, policy_login_methods AS methods, policy_networks AS networks
       FROM organizations WHERE id = $1`,
    ada.orgs,
  );

/** Changes one of the rules in its dialog. */
async function change(rule: string, fields: Record<string, string>, ...ticked: string[]): Promise<void> {
  await ada.press(`Change: ${rule}`);
  for (const each of ticked) await ada.tick(each);
  await ada.submit('Save', fields);
}

describe('the rules for access to an organization', () => {
  it('are set by its admin, one by one, and taken away again', async () => {
    await ada.open(`${CONSOLE}/organization?id=${ada.orgs[0]}`);
    await ada.sees('Rules for access');

    await change('Longest pause', { 'Longest pause': '30' });
    await ada.sees('30 minutes');
    await change('Ways to log in', {}, 'Password', 'Passkey');
    await ada.sees('The rules for access are saved.');
    await change('Networks', { Networks: '127.0.0.0/8, 2001:db8::/32\n::1/128' });
    await ada.sees('2001:db8::/32');
    await looksRight(ada, 'access-rules');
    expect(await stored()).toEqual([
      {
        idle: 30,
        age: null,
        methods: ['password', 'passkey'],
        networks: ['127.0.0.0/8', '2001:db8::/32', '::1/128'],
      },
    ]);

    await ada.open(`${CONSOLE}/organization?id=${ada.orgs[0]}`);
    await ada.sees('30 minutes');
    await change('Longest pause', { 'Longest pause': '' });
    await ada.sees('The rules for access are saved.');
    await change('Networks', { Networks: '' });
    await until(async () => (await stored())[0].networks === null);
    expect(await stored()).toEqual([
      { idle: null, age: null, methods: ['password', 'passkey'], networks: null },
    ]);
  });

  it('say at the field what is wrong, and that a rule would lock its admin out', async () => {
    await ada.open(`${CONSOLE}/organization?id=${ada.orgs[0]}`);
    ada.expectRefusal(
      `400 /orgs/${ada.orgs[0]}/policy`,
      `400 /orgs/${ada.orgs[0]}/policy`,
      `400 /orgs/${ada.orgs[0]}/policy`,
      `409 /orgs/${ada.orgs[0]}/policy`,
    );

    await change('Longest pause', { 'Longest pause': '2' });
    await ada.sees('This is not valid.', ada.find('dialog'));
    await ada.submit('Save', { 'Longest pause': '30 min' });
    await ada.sees('This is not valid.', ada.find('dialog'));
    expect(await stored()).toMatchObject([{ idle: null }]);
    await looksRight(ada, 'access-rules-fault');
    await ada.press('Cancel');
    await change('Networks', { Networks: '10.0.0.1/8' });
    await ada.sees('This is not valid.', ada.find('dialog'));
    await ada.submit('Save', { Networks: '192.0.2.0/24' });
    await ada.sees('These rules would lock you out.', ada.find('dialog'));
    await looksRight(ada, 'access-rules-locked-out');
  });
});
