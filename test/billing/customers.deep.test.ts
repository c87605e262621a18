import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import { loggedIn, loggedInAs } from '../support/accounts.js';
import { type Billing, startBilling, subscribe } from '../support/billing.js';
import { asMember, foundOrg, type Member, place } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let billing: Billing;
let app: TestApp;
let root: Member;
beforeAll(async () => {
  billing = await startBilling();
  ({ app } = billing);
  root = await loggedInAs(app, 'sys_admin');
});
afterAll(() => billing.stop());
beforeEach(() => app.database.rows('TRUNCATE billing_customers CASCADE'));

const PATH = '/subscription/customers';
const listed = async (query = '') => {
  const { status, body } = await root.get(`${PATH}${query}`);
  expect(status).toBe(200);
  return body.data;
};
const reconcile = ({ id }: { id: string }) => root.post(`${PATH}/${id}/reconcile`);

/** A customer whom Stripe has not made yet. */
const addCustomer = ({ orgId = null as string | null } = {}) =>
  app.database.value('INSERT INTO billing_customers (id, org_id) VALUES ($1, $2) RETURNING id', [
    uuidv7(),
    orgId,
  ]);

describe('GET /subscription/customers', () => {
  it('lists the customers, newest first, with their subscriptions as they see them', async () => {
    const [org, user] = [await foundOrg(app), await asMember(await loggedIn(app))];
    await subscribe(billing, org.admin);
    await subscribe(billing, user);

    const [newer, older] = await listed();

    expect(older).toEqual({
      id: expect.any(String),
      org_id: org.id,
      org_name: 'Analytical',
      user_id: null,
      user_email: null,
      stripe_customer_id: expect.stringMatching(/^cus_/),
      subscription: (await org.admin.get('/subscription')).body.subscription,
      past_due_since: null,
      livemode: false,
      unknown_at: null,
      read_at: expect.any(String),
      created_at: expect.any(String),
    });
    expect(newer).toMatchObject({
      org_id: null,
      org_name: null,
      user_id: user.id,
      user_email: user.email,
      subscription: { status: 'active' },
    });
  });

  it('filters by organization, user and status, and pages by key', async () => {
    const [org, user] = [await foundOrg(app), await asMember(await loggedIn(app))];
    await subscribe(billing, org.admin);
    await subscribe(billing, user);
    await addCustomer();

    expect(await listed(`?org_id=${org.id}`)).toMatchObject([{ org_id: org.id }]);
    expect(await listed(`?user_id=${user.id}`)).toMatchObject([{ user_id: user.id }]);
    expect(await listed('?status=active')).toHaveLength(2);
    expect(await listed('?status=past_due')).toEqual([]);

    const { next_cursor } = (await root.get(`${PATH}?limit=2`)).body;
    expect(await listed(`?limit=2&cursor=${next_cursor}`)).toMatchObject([{ org_id: org.id }]);
  });

  it('is compressed where it is long', async () => {
    for (let index = 0; index < 10; index++) await addCustomer();

    const cookie = [...root.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const { headers } = await app.nest.inject({ url: PATH, headers: { cookie, 'accept-encoding': 'br' } });

    expect(headers['content-encoding']).toBe('br');
  });

  it.each(['org_id=1', 'user_id=1', 'status=gone', 'status=%00'])('refuses ?%s', async (query) => {
    expect(await root.get(`${PATH}?${query}`)).toMatchObject({
      status: 400,
      body: { errors: [{ field: query.split('=')[0] }] },
    });
  });
});

describe('POST /subscription/customers/:id/reconcile', () => {
  it('reads the subscription now, and sets the seats at Stripe right', async () => {
    const org = await foundOrg(app);
    const { id } = await subscribe(billing, org.admin);
    const [customer] = await listed();
    const item = billing.stripe.account.subscription(id).items.data[0];
    await place(app.database, org.readonly.id, null);
    billing.stripe.account.updateSubscription(id, { cancel_at_period_end: true });

    const { status, body } = await reconcile(customer);

    expect({ status, corrected: body.corrected }).toEqual({ status: 200, corrected: true });
    expect(body.customer).toMatchObject({
      id: customer.id,
      subscription: { quantity: 2, cancel_at_period_end: true },
    });
    expect(billing.stripe.account.subscription(id).items.data[0]).toMatchObject({
      id: item?.id,
      quantity: 2,
    });
    expect((await reconcile(customer)).body.corrected).toBe(false);
  });

  it('leaves a customer as it is whom Stripe has not made yet', async () => {
    const id = await addCustomer();
    expect(await reconcile({ id })).toMatchObject({
      status: 200,
      body: { customer: { id, stripe_customer_id: null, subscription: null }, corrected: false },
    });
  });

  it('finds no customer there is not', async () => {
    expect(await reconcile({ id: randomUUID() })).toMatchObject({ status: 404 });
  });

  it('says so when Stripe does not answer, and changes nothing', async () => {
    const id = await addCustomer();
    await app.database.rows(`UPDATE billing_customers SET stripe_customer_id = 'cus_unheard'`);
    const before = await app.database.rows('SELECT * FROM billing_customers');
    billing.stripe.trouble = () => ({ status: 500 });

    const answer = await reconcile({ id });
    billing.stripe.calmDown();

    expect(answer).toMatchObject({ status: 502, body: { code: 'PaymentProviderError' } });
    expect(await app.database.rows('SELECT * FROM billing_customers')).toEqual(before);
  });

  it('says that the key is of another account when Stripe does not know the customer, and keeps all but that', async () => {
    const id = await addCustomer();
    await app.database.rows(`UPDATE billing_customers SET stripe_customer_id = 'cus_unknown'`);
    const before = await app.database.rows('SELECT * FROM billing_customers');

    expect(await reconcile({ id })).toMatchObject({ status: 409, body: { code: 'BillingModeMismatch' } });
    expect(await app.database.rows('SELECT * FROM billing_customers')).toEqual(
      before.map((row) => (row.id === id ? { ...row, unknown_at: expect.any(Date) } : row)),
    );
  });
});

describe('the customers', () => {
  it('are closed to an ORG_ADMIN, who is one', async () => {
    const org = await foundOrg(app);
    const id = await addCustomer({ orgId: org.id });
    for (const answer of [await org.admin.get(PATH), await org.admin.post(`${PATH}/${id}/reconcile`)])
      expect(answer).toMatchObject({ status: 403, body: { code: 'InsufficientRole' } });
  });

  it('are not there without billing', async () => {
    const without = await TestApp.start({}, { database: app.database });
    const browser = without.browser();
    for (const cookie of root.jar) browser.jar.set(...cookie);

    expect((await browser.get(PATH)).status).toBe(404);
    expect((await browser.post(`${PATH}/${randomUUID()}/reconcile`)).status).toBe(404);
    await without.nest.close();
  });
});
