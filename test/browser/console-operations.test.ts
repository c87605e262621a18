import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, verified } from '../support/accounts.js';
import { subscribe } from '../support/billing.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { workersRest } from '../support/mails.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { until } from '../support/until.js';
import { allow } from './all-said.js';
import { CONSOLE, orgAdmin, systemAdmin } from './console.js';
import { Stage } from './stage.js';

const NO_SUCH_MAILBOX = {
  status: 400,
  body: { errors: [{ message: 'Does not contain a valid address.', field: 'personalizations.0.to' }] },
};

/** The mail is in the language of the service. */
const SUBJECT = 'Set a new password';

let mailapi: MailapiStandIn;
let stripe: StripeStandIn;
let stage: Stage;
beforeAll(async () => {
  [mailapi, stripe] = await Promise.all([MailapiStandIn.start(), StripeStandIn.start()]);
  stage = await Stage.inDev({ ...mailapi.variables, ...stripe.variables });
  allow(SUBJECT);
});
afterAll(async () => {
  await stage.stop();
  await Promise.all([mailapi.close(), stripe.stop()]);
});

describe('the mail of the console', () => {
  it('says why a mail did not arrive, and sends it again', async () => {
    const root = await systemAdmin(stage);
    const email = await deadLetter();

    await root.open(`${CONSOLE}/mail`);
    await root.submit('Filter', { To: email });
    await root.sees('mailapi answered 400, personalizations.0.to');
    await root.sees('Failed', root.find('row'));
    await root.press(`Send again: ${email}`);
    await root.sees(`The email to ${email} waits to be sent again.`);

    await until(() => mailapi.delivered.some(({ to }) => to === email));
    await root.page.reload();
    await root.sees('Sent', root.find('row'));
    expect(await acts('mail.retried', root)).toEqual([{ retried: 1, mail_id: expect.any(String) }]);
  });

  it('sends all failed mails again, without a mouse', async () => {
    const root = await systemAdmin(stage, { hasMouse: false });
    const addresses = [await deadLetter(), await deadLetter()];

    await root.open(`${CONSOLE}/mail`);
    const waiting = root.find('link', 'Emails 2 failed');
    await waiting.waitFor();
    await root.press('Send failed emails again');
    await root.sees('Send 2 failed emails again?');
    await root.press('Send again');
    await root.sees('2 failed emails wait to be sent again.');
    await waiting.waitFor({ state: 'hidden' });

    for (const email of addresses) await until(() => mailapi.delivered.some(({ to }) => to === email));
    expect(await acts('mail.retried', root)).toEqual([{ retried: 2 }]);
  });
});

describe('the figures of the console', () => {
  it('stand two beside each other on a phone, so that what they count is not a screen below', async () => {
    const root = await systemAdmin(stage);
    await root.page.setViewportSize({ width: 390, height: 844 });
    for (const address of [CONSOLE, `${CONSOLE}/mail`]) {
      await root.open(address);
      const cards = root.page.locator('.figures .card');
      await cards.nth(3).waitFor();
      const tops = await Promise.all([0, 1, 2].map(async (nth) => (await cards.nth(nth).boundingBox())?.y));
      expect(tops[1]).toBe(tops[0]);
      expect(tops[2]).toBeGreaterThan(tops[0] ?? 0);
    }
  });
});

describe('the billing of the console', () => {
  it('shows who pays for how many seats, and sets right what differs at Stripe', async () => {
    const root = await systemAdmin(stage);
    const admin = await loggedIn(stage.app, await orgAdmin(stage, 'Initech'));
    const { id, customer } = await subscribe({ app: stage.app, stripe, stop: stage.stop }, admin);
    await root.open(`${CONSOLE}/billing`);
    await root.sees('Initech');
    const row = root.row('Initech');
    expect(await root.text(row)).toMatch(/Active\s+1\s/);

    const [item] = stripe.account.subscription(id).items.data;
    if (item) item.quantity = 7;
    await root.press('Read again: Initech');
    await root.sees('We read Initech at Stripe, and corrected what differed there.');
    expect(stripe.account.subscription(id).items.data[0]?.quantity).toBe(1);
    expect(await root.find('link', 'Open at Stripe: Initech').getAttribute('href')).toBe(
      `https://dashboard.stripe.com/test/customers/${customer}`,
    );

    await root.follow('Initech');
    await root.sees('1 seat, renews');
    await root.follow('Customer');
    await row.waitFor();
  });

  it('says what is wrong with a filter that a person wrote into the address', async () => {
    const root = await systemAdmin(stage);
    root.expectRefusal('400 /subscription/customers');
    await root.open(`${CONSOLE}/billing?org_id=initech`);
    await root.sees('This filter does not work. Check org_id in the address of this page.');
    await root.follow('Clear the filter');
    await root.sees('Initech');
  });
});

describe('the system in the console', () => {
  it('shows the settings without a secret, and runs the cron', async () => {
    const root = await systemAdmin(stage);
    await root.open(`${CONSOLE}/system`);
    await root.sees('It has not run yet.');
    await root.sees('SVC_MAILAPI_API_KEY');
    expect(await root.page.content()).not.toContain(mailapi.variables.SVC_MAILAPI_API_KEY);

    await root.press('Run it now: the cron');
    await root.sees('The cron ran for');
    await root.sees('Last success');
    expect(await acts('cron.ran', root)).toHaveLength(1);
  });

  it('is for nobody else: an admin of an organization is shown the way back, and no figure', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('403 /system', '403 /mails', '403 /mails/states');
    await ada.logIn(await orgAdmin(stage, 'Globex'));
    for (const screen of ['system', 'mail', 'billing', 'users']) {
      await ada.open(`${CONSOLE}/${screen}`);
      await ada.sees('This is for system admins.');
      expect(await ada.find('table').count()).toBe(0);
    }
  });
});

/** A mail that the provider has refused, and the service has given up; returns its address. */
async function deadLetter(): Promise<string> {
  const email = await verified(stage.app);
  mailapi.answerNext(NO_SUCH_MAILBOX);
  await stage.app.browser().post('/password/forgot', { email });
  await workersRest(stage.app.database);
  return email;
}

/** The details of what an admin did. */
async function acts(type: string, { id }: { id: string }): Promise<object[]> {
  const sql = 'SELECT details FROM audit_events WHERE type = $1 AND actor_id = $2';
  return (await stage.app.database.rows(sql, [type, id])).map(({ details }) => details);
}
