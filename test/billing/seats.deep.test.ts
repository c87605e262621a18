import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import { freshAddress, loggedIn, PASSWORD } from '../support/accounts.js';
import { type Billing, deliverAll, runCron, startBilling, subscribe } from '../support/billing.js';
import { invite, joinByInvitation, signUpOrg, type TestOrg } from '../support/orgs.js';
import type { Subscription } from '../support/stripe/objects.js';
import { until } from '../support/until.js';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing.stop());
afterEach(() => billing.stripe.calmDown());

/** An organization of three with a subscription. */
async function subscribedOrg(): Promise<TestOrg & { subscription: Subscription }> {
  const org = await signUpOrg(billing.app);
  return { ...org, subscription: await subscribe(billing, org.admin) };
}

const seatsAtStripe = ({ id }: Subscription) =>
  billing.stripe.account.subscription(id).items.data[0]?.quantity;
const seatsShown = async ({ admin }: TestOrg) =>
  (await admin.get('/subscription')).body.subscription.quantity;

/** Resolves once the subscription has so many seats at Stripe and here, which happens soon after the answers. */
async function untilSeats(org: TestOrg & { subscription: Subscription }, seats: number): Promise<void> {
  await until(async () => seatsAtStripe(org.subscription) === seats && (await seatsShown(org)) === seats);
}

const cron = () => runCron(billing);
const removeMember = (org: TestOrg, id: string) => org.admin.delete(`/orgs/${org.id}/members/${id}`);

describe('the seats of an organization', () => {
  it('change when a member joins with a new account, leaves, is removed, or deletes the account', async () => {
    const org = await subscribedOrg();
    expect(seatsAtStripe(org.subscription)).toBe(3);

    const newcomer = await joinByInvitation(billing.app, org, Role.MEMBER);
    await untilSeats(org, 4);
    expect((await org.member.delete(`/orgs/${org.id}/members/${org.member.id}`)).status).toBe(204);
    await untilSeats(org, 3);
    expect((await removeMember(org, org.readonly.id)).status).toBe(204);
    await untilSeats(org, 2);
    expect((await newcomer.send('DELETE', '/users/me', { current_password: PASSWORD })).status).toBe(204);
    await untilSeats(org, 1);
  });

  it('change when a user joins with an existing account', async () => {
    const org = await subscribedOrg();
    const browser = await loggedIn(billing.app);
    const token = await invite(billing.app, org.admin, org.id, browser.email);

    expect((await browser.post('/invitations/accept', { token })).status).toBe(200);

    await untilSeats(org, 4);
  });

  it('are not taken by those who are only invited', async () => {
    const org = await subscribedOrg();
    billing.stripe.requests.length = 0;
    await invite(billing.app, org.admin, org.id, freshAddress());

    expect((await cron()).reconciled).toEqual({ customers: 0, corrected: 0, failed: 0 });
    expect([seatsAtStripe(org.subscription), billing.stripe.requests]).toEqual([3, []]);
  });

  it('change with a member who joined while the checkout was open', async () => {
    const org = await signUpOrg(billing.app);
    const price = billing.stripe.account.addPrice();
    const { body } = await org.admin.post('/subscription/checkout', { price_id: price });
    await joinByInvitation(billing.app, org, Role.MEMBER);
    const { subscription } = billing.stripe.account.completeSession(body.id);
    await deliverAll(billing);

    await untilSeats({ ...org, subscription: billing.stripe.account.subscription(subscription ?? '') }, 4);
  });

  it('are as many as there are members after many have come and gone at once', async () => {
    const org = await subscribedOrg();
    const tokens: string[] = [];
    for (let guest = 0; guest < 6; guest++)
      tokens.push(await invite(billing.app, org.admin, org.id, freshAddress()));
    billing.stripe.latencyMs = 10;

    const answers = await Promise.all([
      ...tokens.map((token) =>
        billing.app.browser().post('/invitations/accept', { token, password: PASSWORD }),
      ),
      removeMember(org, org.member.id),
      removeMember(org, org.readonly.id),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201, 204, 204]);
    await untilSeats(org, 7);
    billing.stripe.latencyMs = 0;
  });

  it('are not changed where usage is metered', async () => {
    const org = await signUpOrg(billing.app);
    const price = billing.stripe.account.addPrice({ isMetered: true });
    const subscription = await subscribe(billing, org.admin, price);
    await removeMember(org, org.member.id);

    expect((await cron()).reconciled.corrected).toBe(0);
    expect(seatsAtStripe(subscription)).toBeUndefined();
  });

  it('stay unchanged while Stripe refuses to change them, and change afterwards', async () => {
    const org = await subscribedOrg();
    const { id } = org.subscription;
    billing.stripe.account.updateSubscription(id, { status: 'paused' }, 'paused');
    await deliverAll(billing);
    await removeMember(org, org.member.id);
    expect((await cron()).reconciled).toMatchObject({ corrected: 0, failed: 0 });

    billing.stripe.account.updateSubscription(id, { status: 'active' }, 'resumed');
    await deliverAll(billing);

    await untilSeats(org, 2);
  });
});

describe('while Stripe is down', () => {
  it('members join and leave as always, and the reconciliation corrects the seats and reports it', async () => {
    const org = await subscribedOrg();
    billing.stripe.trouble = () => 'refuse';

    expect((await removeMember(org, org.member.id)).status).toBe(204);
    await joinByInvitation(billing.app, org, Role.MEMBER);
    await joinByInvitation(billing.app, org, Role.MEMBER);
    expect((await cron()).reconciled).toEqual({ customers: 1, corrected: 0, failed: 1 });
    expect(seatsAtStripe(org.subscription)).toBe(3);

    billing.stripe.trouble = () => undefined;
    expect((await cron()).reconciled).toEqual({ customers: 1, corrected: 1, failed: 0 });
    expect([seatsAtStripe(org.subscription), await seatsShown(org)]).toEqual([4, 4]);
    expect((await cron()).reconciled).toEqual({ customers: 0, corrected: 0, failed: 0 });
  });
});

describe('seats that an operator has changed at Stripe', () => {
  it('are corrected when an event reports it', async () => {
    const org = await subscribedOrg();
    billing.stripe.account.updateSubscription(org.subscription.id, { quantity: 99 });
    await deliverAll(billing);

    await untilSeats(org, 3);
  });
});
