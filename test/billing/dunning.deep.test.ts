import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import { loggedIn } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import { BackEnd } from '../support/back-end.js';
import { type Billing, deliverAll, rowOf, startBilling, subscribe } from '../support/billing.js';
import type { Browser } from '../support/browser.js';
import { foundOrg, joinOrg } from '../support/orgs.js';
import { webhooks } from '../support/webhooks.js';

const DAY = 24 * 60 * 60;
const SUBJECT = 'A payment for your subscription is missing';

let backEnd: BackEnd;
let billing: Billing;
beforeAll(async () => {
  backEnd = await BackEnd.start();
  const { url, secrets } = backEnd;
  billing = await startBilling({
    ...webhooks({ url, secrets, types: ['dunning.*'] }),
    SVC_LOCALES: 'en,de',
    SVC_ORGS_PER_USER: '3',
  });
});
afterAll(async () => {
  await billing.stop();
  await backEnd.close();
});

const now = () => Math.floor(Date.now() / 1000);
const mailsTo = async (email: string, { mailbox } = billing.app) =>
  (await mailbox.to(email)).filter(({ text }) => text.includes('/billing'));

/** Lets a payment fail that had to be made so many days ago, and the service learn of it. */
async function fail(subscription: string, daysAgo = 0): Promise<void> {
  billing.stripe.account.failPayment(subscription, now() - daysAgo * DAY);
  await deliverAll(billing);
}

/** A user who pays alone. */
async function payer(): Promise<Browser & { email: string; subscription: string }> {
  const browser = await loggedIn(billing.app);
  const { id: subscription } = await subscribe(billing, browser);
  return Object.assign(browser, { subscription });
}

describe('a payment that fails', () => {
  it('is mailed to each active admin in their language, and to nobody else', async () => {
    const org = await foundOrg(billing.app, 'Initech');
    const [german, suspended, disabled] = [
      await joinOrg(billing.app, org, Role.ORG_ADMIN),
      await joinOrg(billing.app, org, Role.ORG_ADMIN),
      await joinOrg(billing.app, org, Role.ORG_ADMIN),
    ];
    await billing.app.database.rows(`UPDATE users SET locale = 'de' WHERE id = $1`, [german.id]);
    await billing.app.database.rows('UPDATE memberships SET suspended_at = now() WHERE user_id = $1', [
      suspended.id,
    ]);
    await billing.app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [disabled.id]);
    const { id } = await subscribe(billing, org.admin);

    await fail(id);

    const [mail, ...others] = await mailsTo(org.admin.email);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ subject: SUBJECT, text: expect.stringContaining('“Initech”') });
    expect(mail?.text).toMatch(/has been missing since \w+/);
    expect(mail?.text).toMatch(/Until .+, everything works as before\./);
    expect(mail?.text).toContain(`http://localhost:5173/billing?org=${org.id}`);
    expect(await mailsTo(german.email)).toMatchObject([{ subject: 'Eine Zahlung für Ihr Abonnement fehlt' }]);
    for (const { email } of [org.member, org.readonly, suspended, disabled])
      expect(await mailsTo(email)).toEqual([]);
  });

  it('is mailed to a user who pays alone', async () => {
    const { email, subscription } = await payer();

    await fail(subscription);

    const [mail] = await mailsTo(email);
    expect(mail?.text).toContain('your subscription to');
    expect(mail?.text).toContain('http://localhost:5173/billing?org=none');
  });

  it('is recorded once, and told to back ends', async () => {
    const org = await foundOrg(billing.app);
    const { id } = await subscribe(billing, org.admin);

    const events = await eventsAfter(billing.app, () => fail(id, 2));

    const [invoice] = billing.stripe.account.invoicesOf(id, 'open');
    const dunned = events.filter(({ type }) => type === 'dunning.mailed');
    expect(dunned).toMatchObject([
      {
        actor_id: null,
        user_id: null,
        org_id: org.id,
        details: {
          invoice_id: invoice?.id,
          past_due_since: new Date((invoice?.created ?? 0) * 1000).toISOString(),
          mails: 1,
        },
      },
    ]);
    const event = await backEnd.event(
      ({ type, data }) => type === 'dunning.mailed' && data.org_id === org.id,
    );
    expect(event.data).toMatchObject({ subscription: { status: 'past_due' } });
  });

  it('says that access is over where the grace is', async () => {
    const { email, subscription } = await payer();

    await fail(subscription, 8);

    const [mail] = await mailsTo(email);
    expect(mail?.text).toContain('no longer works');
    expect(mail?.text).not.toContain('Until');
  });

  it('is not mailed again by the next invoice, and is after a recovery', async () => {
    const { email, subscription } = await payer();

    await fail(subscription, 3);
    await fail(subscription, 1);
    expect(await mailsTo(email)).toHaveLength(1);

    billing.stripe.account.settle(subscription);
    await deliverAll(billing);
    expect(await mailsTo(email)).toHaveLength(1);

    await fail(subscription);
    expect(await mailsTo(email)).toHaveLength(2);
  });

  it('is not mailed before it is due', async () => {
    const { email, subscription } = await payer();
    billing.stripe.account.failPayment(subscription, now() - 8 * DAY, now() + 22 * DAY);
    await deliverAll(billing);
    expect(await mailsTo(email)).toEqual([]);

    const [invoice] = billing.stripe.account.invoicesOf(subscription, 'open');
    Object.assign(invoice ?? {}, { due_date: now() - 1 });
    billing.stripe.account.report('invoice.payment_failed', invoice);
    await deliverAll(billing);

    expect(await mailsTo(email)).toHaveLength(1);
  });

  it('is mailed later where nobody could pay at first', async () => {
    const org = await foundOrg(billing.app);
    const { id, customer } = await subscribe(billing, org.admin);
    const disable = (at: string) =>
      billing.app.database.rows(`UPDATE users SET disabled_at = ${at} WHERE id = $1`, [org.admin.id]);
    await disable('now()');

    await fail(id);
    expect((await rowOf(billing, customer)).dunned_invoice_id).toBeNull();
    await disable('NULL');
    billing.stripe.account.report('customer.updated', billing.stripe.account.livingCustomer(customer));
    await deliverAll(billing);

    expect(await mailsTo(org.admin.email)).toHaveLength(1);
  });

  it('is not mailed with SVC_STRIPE_DUNNING_MAIL=off', async () => {
    const quiet = await startBilling({ SVC_STRIPE_DUNNING_MAIL: 'off' });
    const browser = await loggedIn(quiet.app);
    const { id, customer } = await subscribe(quiet, browser);

    quiet.stripe.account.failPayment(id);
    await deliverAll(quiet);

    expect(await mailsTo(browser.email, quiet.app)).toEqual([]);
    expect(await rowOf(quiet, customer)).toMatchObject({ status: 'past_due', dunned_invoice_id: null });
    await quiet.stop();
  });
});
