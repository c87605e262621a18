import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AdminService } from '../../src/auth/account/admin.service.js';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { linkIn, workersRest } from '../support/mails.js';
import { until } from '../support/until.js';
import { allow } from './all-said.js';
import { roleChangedYesterday } from './console.js';
import { addApp } from './phone.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

const NO_SUCH_MAILBOX = {
  status: 400,
  body: { errors: [{ message: 'Does not contain a valid address.', field: 'personalizations.0.to' }] },
};

/** A person with an address, and a browser without a mouse. */
type Person = Visitor & { email: string };

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

describe('in B2B as in prod, with the keyboard alone, the first admin', () => {
  it('founds an organization, mends a mail, ends sessions, and reads who did what yesterday', async () => {
    const [root, boss, peter] = [await person(), await person(), freshAddress()];
    await stage.app.nest.get(AdminService).appoint(root.email, { isMailed: true });

    await beginsByTheMailedLink(root);
    await foundsInitech(root, boss);
    await joinsAndInvites(boss, peter);
    await sendsTheFailedMailAgain(root, peter);
    await endsTheSessions(root, boss);
    await readsWhatWasDoneYesterday(root, boss);
  }, 120_000);
});

/** Sets a password and the second factor that every SYSTEM_ADMIN needs, and comes to the console. */
async function beginsByTheMailedLink(root: Person): Promise<void> {
  await root.open(await linkTo(root.email));
  await root.submit('Set password', { 'New password': PASSWORD });
  await root.submit('Log in', { Email: root.email, Password: PASSWORD });
  await root.sees('Make your login safer');
  await root.submit('I have an app');
  await addApp(root);
  await root.sees('Needs your attention');
  expect(root.path).toBe('/admin');
}

async function foundsInitech(root: Person, { email }: Person): Promise<void> {
  await root.follow('Organizations');
  await root.press('Create organization');
  await root.submit('Create', { Name: 'Initech', 'Email of its admin': email });
  await root.sees(`You have created Initech, and invited ${email}.`);
  await root.sees('No members yet.');
}

/** Joins by the mailed link, and invites another person, whom the provider does not know at first. */
async function joinsAndInvites(boss: Person, peter: string): Promise<void> {
  await boss.open(await linkTo(boss.email));
  await boss.submit('Join', { Password: PASSWORD });
  await boss.sees(`${boss.email} (you)`);

  mailapi.answerNext(NO_SUCH_MAILBOX);
  await boss.press('Invite');
  await boss.find('dialog').waitFor();
  await boss.submit('Invite', { Email: peter });
  await boss.sees(`${peter} is invited.`);
  await workersRest(stage.app.database);
}

async function sendsTheFailedMailAgain(root: Person, peter: string): Promise<void> {
  await root.follow('Overview');
  await root.sees('1 email could not be sent.');
  // The mail is in the language of the service.
  allow('You are invited to Latchkey');
  await root.follow('Emails 1 failed');
  await root.sees('mailapi answered 400, personalizations.0.to');
  await root.press(`Send again: ${peter}`);
  await root.sees(`The email to ${peter} waits to be sent again.`);
  expect(await linkTo(peter)).toMatch(/^https:\/\/api\.latchkey\.test\/ui\/accept-invitation/);
}

async function endsTheSessions(root: Person, boss: Person): Promise<void> {
  await root.follow('Users');
  await root.submit('Filter', { 'Name, email or ID': boss.email });
  await root.follow(boss.email);
  await root.press('End all sessions');
  await root.press('End them');
  await root.sees(`1 session of ${boss.email} has ended.`);

  await boss.page.reload();
  await boss.sees('Please log in.');
}

async function readsWhatWasDoneYesterday(root: Person, boss: Person): Promise<void> {
  const day = await roleChangedYesterday(stage, root, boss);
  await root.follow('Activity');
  await root.submit('Filter', { Person: boss.email, From: day, Until: day });
  await root.sees('Role changed from Member to Read-only');
  const rows = root.find('row');
  expect(await rows.count()).toBe(2);
  expect(await root.text(rows.last())).toContain(root.email);
}

async function person(): Promise<Person> {
  const visitor = await stage.visitor({ hasMouse: false }, { timezoneId: 'UTC' });
  return Object.assign(visitor, { email: freshAddress() });
}

/** The link in the newest mail that the provider took for an address. */
async function linkTo(address: string): Promise<string> {
  const mails = () => mailapi.delivered.filter(({ to }) => to === address);
  await until(() => mails().length > 0);
  return linkIn(mails().at(-1) ?? { text: '' });
}
