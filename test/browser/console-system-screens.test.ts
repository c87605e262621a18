import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { loggedIn, verified } from '../support/accounts.js';
import { appOwner } from '../support/authenticator-app.js';
import { subscribe } from '../support/billing.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { allow } from './all-said.js';
import { CONSOLE, orgAdmin, refusalsOfUser, systemAdmin } from './console.js';
import { looksRight } from './looks.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

let mailapi: MailapiStandIn;
let stripe: StripeStandIn;
let stage: Stage;
let root: Visitor & { id: string; email: string };
beforeAll(async () => {
  [mailapi, stripe] = await Promise.all([MailapiStandIn.start(), StripeStandIn.start()]);
  stage = await Stage.inDev({ ...mailapi.variables, ...stripe.variables, SVC_PRODUCT_NAME: 'Analytical' });
  root = await systemAdmin(stage);
});
afterAll(async () => {
  await stage.stop();
  await Promise.all([mailapi.close(), stripe.stop()]);
});

describe('every screen of the console for system admins, in each of its states', () => {
  it('users', async () => {
    const email = `a-rather-long-name-for-an-address.${randomUUID()}@example.com`;
    await verified(stage.app, { email });
    await stage.app.database.rows(
      "UPDATE users SET name = 'Ada Lovelace', disabled_at = now() WHERE email = $1",
      [email],
    );
    await orgAdmin(stage, 'Initech');
    await root.open(`${CONSOLE}/users`);
    await root.sees('Initech');
    await looksRight(root, 'console-users');

    await root.open(`${CONSOLE}/users?search=nobody`);
    await root.sees('Nothing matches.');
    await looksRight(root, 'console-users-none');
  });

  it('user', async () => {
    const { id, email } = await appOwner(stage.app);
    await loggedIn(stage.app, await verified(stage.app));
    await stage.app.database.rows(
      `UPDATE sessions SET user_agent = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0', ip = '2001:db8::7' WHERE user_id = $1`,
      [id],
    );
    await root.open(`${CONSOLE}/user?id=${id}`);
    await root.sees('Logged in');
    await looksRight(root, 'console-user');

    await root.press('Change the role');
    await looksRight(root, 'console-user-role');
    await root.press('Cancel');
    await root.press('Disable the account');
    await looksRight(root, 'console-user-disable');
    await root.press('Cancel');
    await root.press(`Delete the account ${email}`);
    await root.submit('Delete it for good', { [`Type ${email} to confirm`]: 'another' });
    await root.sees('That is not the address.');
    await looksRight(root, 'console-user-delete');

    await root.open(`${CONSOLE}/user?id=${root.id}`);
    await root.sees('This is you.');
    await looksRight(root, 'console-user-own');
    root.expectRefusal(...refusalsOfUser(400));
    await root.open(`${CONSOLE}/user?id=none`);
    await root.sees('There is no such user.');
    await looksRight(root, 'console-user-gone');
  });

  it('activity', async () => {
    await root.open(`${CONSOLE}/activity`);
    await root.sees('Logged in', root.find('row'));
    await root.page.locator('td summary').first().click();
    await looksRight(root, 'console-activity');

    await root.open(`${CONSOLE}/activity?from=2020-01-01&until=2020-01-02`);
    await root.sees('Nothing matches.');
    await looksRight(root, 'console-activity-none');
  });

  it('mail', async () => {
    for (const [outcome, error] of [
      ['sent', null],
      ['expired', 'mailapi did not answer'],
      ['dead', 'mailapi answered 400, personalizations.0.to'],
    ])
      await stage.app.database.rows(
        `INSERT INTO outbox_mails (id, kind, recipient, subject, content, attempts, last_error, finished_at, outcome)
         VALUES ($1, 'password-reset', 'a-rather-long-name-for-an-address@example.com', 'Set a new password', '', 2, $2, now(), $3)`,
        [randomUUID(), error, outcome],
      );
    // The mails are in the language of the service.
    allow('Set a new password');
    await root.open(`${CONSOLE}/mail`);
    await root.sees('Failed', root.find('row'));
    await looksRight(root, 'console-mail');

    await root.press('Send failed emails again');
    await looksRight(root, 'console-mail-all');
  });

  it('billing', async () => {
    const billing = { app: stage.app, stripe, stop: stage.stop };
    const globex = await subscribe(billing, await loggedIn(stage.app, await orgAdmin(stage, 'Globex')));
    const { customer } = await subscribe(billing, await loggedIn(stage.app));
    await stage.app.database.rows(
      `UPDATE billing_customers SET status = 'past_due', past_due_since = now(), cancel_at_period_end = true
        WHERE stripe_customer_id = $1`,
      [customer],
    );
    await stage.app.database.rows(
      'UPDATE billing_customers SET livemode = true WHERE stripe_customer_id = $1',
      [globex.customer],
    );
    await root.open(`${CONSOLE}/billing`);
    await root.sees('Payment is late', root.find('row'));
    await root.sees('Unknown at Stripe', root.find('row'));
    await looksRight(root, 'console-billing');
  });

  it('system', async () => {
    await root.open(`${CONSOLE}/system`);
    await root.sees('It has not run yet.');
    await looksRight(root, 'console-system');

    await root.press('Run it now: the cron');
    await root.sees('The cron ran for');
    await root.unfold('settings have their default');
    await looksRight(root, 'console-system-all');
  });

  it('loading, and a service that cannot be reached', async () => {
    await root.page.route('**/mails*', () => {});
    await root.open(`${CONSOLE}/mail`);
    await root.sees('Failed');
    await root.page.waitForTimeout(200);
    await looksRight(root, 'console-mail-loading');

    root.expectRefusal('404 /users');
    await root.page.route('**/users?*', (route) => route.fulfill({ status: 404, body: '' }));
    await root.open(`${CONSOLE}/users`);
    await root.sees('The service cannot be reached.');
    await looksRight(root, 'console-users-unreachable');
  });
});
