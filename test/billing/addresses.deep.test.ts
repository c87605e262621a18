import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import { freshAddress, loggedIn, loggedInAs, PASSWORD } from '../support/accounts.js';
import { type Billing, rowOf, runCron, startBilling, subscribe } from '../support/billing.js';
import { foundOrg, joinOrg, type Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing.stop());
afterEach(() => billing.stripe.calmDown());

const addressAtStripe = (customer: string) => billing.stripe.account.customers.get(customer)?.email;
/** Resolves once Stripe has an address, which happens soon after the answer. */
const untilAddress = (customer: string, email: string) => until(() => addressAtStripe(customer) === email);

async function changeAddress(browser: Pick<Member, 'post'>): Promise<string> {
  const new_email = freshAddress();
  await browser.post('/users/me/email', { new_email, current_password: PASSWORD });
  await browser.post('/users/me/email/confirm', { token: await billing.app.mailbox.token(new_email) });
  return new_email;
}

describe('the address of an organization at Stripe', () => {
  it('is that of an ORG_ADMIN, whichever of the members checks out', async () => {
    const org = await foundOrg(billing.app);
    const { customer } = await subscribe(billing, org.readonly);

    expect(addressAtStripe(customer)).toBe(org.admin.email);
  });

  it('changes with the address of the admin', async () => {
    const org = await foundOrg(billing.app);
    const { customer } = await subscribe(billing, org.member);

    await untilAddress(customer, await changeAddress(org.admin));
  });

  it('changes from one admin to the next, when the first loses the role, leaves, is suspended or deletes the account', async () => {
    const org = await foundOrg(billing.app);
    const [second, third] = [
      await joinOrg(billing.app, org, Role.ORG_ADMIN),
      await joinOrg(billing.app, org, Role.ORG_ADMIN),
    ];
    const { customer } = await subscribe(billing, second);
    expect(addressAtStripe(customer)).toBe(org.admin.email);

    await second.patch(`/orgs/${org.id}/members/${org.admin.id}`, { role: 'readonly' });
    await untilAddress(customer, second.email);
    await third.patch(`/orgs/${org.id}/members/${org.admin.id}`, { role: 'org_admin' });
    await third.delete(`/orgs/${org.id}/members/${second.id}`);
    await untilAddress(customer, org.admin.email);
    await third.patch(`/orgs/${org.id}/members/${org.admin.id}`, { suspended: true });
    await untilAddress(customer, third.email);
    await third.patch(`/orgs/${org.id}/members/${org.admin.id}`, { suspended: false });
    await third.patch(`/orgs/${org.id}/members/${org.admin.id}`, { role: 'org_admin' });
    await org.admin.send('DELETE', '/users/me', { current_password: PASSWORD });
    await untilAddress(customer, third.email);
  });

  it('stays as it is while its admin stays one, also when another one joins', async () => {
    const org = await foundOrg(billing.app);
    const { customer } = await subscribe(billing, org.admin);
    const other = await joinOrg(billing.app, org, Role.ORG_ADMIN);
    await other.patch(`/orgs/${org.id}/members/${org.member.id}`, { role: 'org_admin' });

    expect((await runCron(billing)).reconciled.failed).toBe(0);
    expect(addressAtStripe(customer)).toBe(org.admin.email);
  });

  it('is corrected by /cron after a change that never reached Stripe', async () => {
    const [org, root] = [await foundOrg(billing.app), await loggedInAs(billing.app, 'sys_admin')];
    const second = await joinOrg(billing.app, org, Role.ORG_ADMIN);
    const { customer } = await subscribe(billing, org.member);
    await root.patch(`/users/${org.admin.id}`, { disabled: true });

    expect((await runCron(billing)).reconciled).toMatchObject({ corrected: 1, failed: 0 });
    expect(addressAtStripe(customer)).toBe(second.email);
    expect((await runCron(billing)).reconciled).toEqual({ customers: 0, corrected: 0, failed: 0 });
  });

  it('is corrected by /cron after Stripe was down', async () => {
    const org = await foundOrg(billing.app);
    const { customer } = await subscribe(billing, org.member);
    billing.stripe.trouble = () => 'refuse';
    const email = await changeAddress(org.admin);
    expect((await runCron(billing)).reconciled).toEqual({ customers: 1, corrected: 0, failed: 1 });

    billing.stripe.calmDown();
    expect((await runCron(billing)).reconciled).toEqual({ customers: 1, corrected: 1, failed: 0 });
    expect(addressAtStripe(customer)).toBe(email);
  });

  it('is sent once more when two replicas sent different ones at once', async () => {
    const replica = await TestApp.start(billing.stripe.variables, { database: billing.app.database });
    const org = await foundOrg(billing.app);
    const { customer } = await subscribe(billing, org.member);
    const isUpdate = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && path === `/v1/customers/${customer}`;

    const hold = billing.stripe.hold(isUpdate);
    await changeAddress(org.admin);
    await hold.reached;
    const elsewhere = replica.browser();
    for (const cookie of org.admin.jar) elsewhere.jar.set(...cookie);
    const last = await changeAddress(elsewhere);
    await until(async () => (await rowOf(billing, customer)).email === last);
    hold.release();

    // On a busy machine the held request may run into its time limit: then the reconciliation goes on.
    await until(async () => {
      await runCron(billing);
      const isSentAgain = billing.stripe.requests.filter(isUpdate).length >= 4;
      return isSentAgain && (await rowOf(billing, customer)).email === last;
    });
    expect(addressAtStripe(customer)).toBe(last);
    await replica.nest.close();
  });
});

describe('the address of a user at Stripe', () => {
  it('is that of the account, and changes with it', async () => {
    const browser = await loggedIn(billing.app);
    const { customer } = await subscribe(billing, browser);
    expect(addressAtStripe(customer)).toBe(browser.email);

    await untilAddress(customer, await changeAddress(browser));
  });
});
