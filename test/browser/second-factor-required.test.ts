import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, verified } from '../support/accounts.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { place } from '../support/orgs.js';
import { addApp } from './phone.js';
import { Stage } from './stage.js';
import { age } from './virtual-authenticator.js';
import type { Visitor } from './visitor.js';

const CONSOLE = 'https://api.latchkey.test/admin';

let mailapi: MailapiStandIn;
let stage: Stage;
beforeAll(async () => {
  mailapi = await MailapiStandIn.start();
  stage = await Stage.inProd({
    ...mailapi.variables,
    SVC_APP_MODE: 'b2b',
    SVC_CRON_SCHEDULE: '0 3 * * *',
  });
});
afterAll(async () => {
  await stage.stop();
  await mailapi.close();
});

describe('in B2B as in prod, with the keyboard alone, an organization', () => {
  it('requires a second factor while a member works, who sets one up and works on', async () => {
    const { admin: ada, member: charles, emails } = await organization();
    ada.expectRefusal('403 /orgs/{id}');
    charles.expectRefusal('403 /orgs/{id}');
    await charles.logIn(emails.member);
    await charles.open('/account');
    await charles.sees('Analytical');
    await ada.logIn(emails.admin);
    await ada.open(CONSOLE);
    await ada.sees('To require one of every member, first log in with a second factor yourself.');
    expect(await ada.find('button', 'Require it').count()).toBe(0);

    await ada.follow('Set one up: a second factor');
    await ada.press('Add an authenticator app');
    const app = await addApp(ada);
    await ada.sees('Your authenticator app is added');
    await age(stage, emails.admin);
    await ada.open(CONSOLE);
    await requireFactor(ada);
    await ada.submit('Confirm', { 'Code from your authenticator app': app.code(1) });
    await ada.sees('Every member must have a second factor now.');
    await ada.sees('Required of every member');
    expect(await factorsListed(ada)).toEqual({ [emails.admin]: 'Set up', [emails.member]: 'None' });

    await charles.page.reload();
    await charles.sees('To use it, you need a second factor.');
    await charles.follow('Set one up: a second factor');
    await charles.press('Add an authenticator app');
    await addApp(charles);
    await charles.arrivesAt('/ui/account');
    await charles.sees('Your authenticator app is added');
    await charles.sees('Analytical');
    await charles.open('/security');
    await charles.sees('On, and it has to stay on');

    await ada.page.reload();
    expect(await factorsListed(ada)).toEqual({ [emails.admin]: 'Set up', [emails.member]: 'Set up' });
  });

  it('lets its admin reset the factors of a member who has lost the phone, after a look at what that does', async () => {
    const { id, admin: ada, member: charles, emails } = await organization();
    await stage.app.database.rows(
      'UPDATE organizations SET second_factor_required_at = now() WHERE id = $1',
      [id],
    );
    await setUpAtLogin(ada, emails.admin);
    await setUpAtLogin(charles, emails.member);
    await ada.open(CONSOLE);
    await ada.press(`Reset factors of ${emails.member}`);
    await ada.sees('Do this for a member who has lost their phone.');
    await ada.press('Reset them');
    await ada.sees(`${emails.member} no longer has a second factor, and is logged out everywhere.`);
    expect(await factorsListed(ada)).toEqual({ [emails.admin]: 'Set up', [emails.member]: 'None' });

    await charles.open('/security');
    await charles.sees('Please log in.');
    await setUpAtLogin(charles, emails.member);
    await charles.sees('This one');
  });
});

/** An organization with an admin and a member, who both have a browser and no mouse. */
async function organization() {
  const id = randomUUID();
  const emails = { admin: await verified(stage.app), member: await verified(stage.app) };
  await stage.app.database.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'Analytical')`, [id]);
  await place(stage.app.database, emails.admin, id, 'org_admin');
  await place(stage.app.database, emails.member, id, 'member');
  const admin = await stage.visitor({ hasMouse: false });
  const member = await stage.visitor({ hasMouse: false });
  return { id, admin, member, emails };
}

/** Turns the rule on, after a look at how many members it meets. */
async function requireFactor(admin: Visitor): Promise<void> {
  await admin.press('Require it');
  await admin.sees('before they can go on.');
  await admin.press('Require it');
}

/** Logs in where a second factor has to be set up first. */
async function setUpAtLogin(visitor: Visitor, email: string): Promise<void> {
  if (!visitor.path.startsWith('/ui/login')) await visitor.open('/login');
  await visitor.submit('Log in', { Email: email, Password: PASSWORD });
  await visitor.sees('Make your login safer');
  await visitor.submit('I have an app');
  await addApp(visitor);
  await visitor.sees('You are logged in.');
}

/** Whether each member has a second factor, as the list says. */
async function factorsListed(visitor: Visitor): Promise<Record<string, string>> {
  const rows = visitor.find('table', 'Members', { isPart: true }).getByRole('row');
  await rows.nth(1).waitFor();
  const cells = await Promise.all(
    (await rows.all())
      .slice(1)
      .map((row) => visitor.texts(row.getByRole('rowheader').or(row.getByRole('cell')))),
  );
  return Object.fromEntries(
    cells.map(([member = '', , factor = '']) => [member.replace(/ \(you\)$/, ''), factor]),
  );
}
