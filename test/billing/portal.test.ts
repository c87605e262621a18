import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn, loggedInAs } from '../support/accounts.js';
import { type Billing, deliverAll, startBilling, subscribe } from '../support/billing.js';
import { foundOrg } from '../support/orgs.js';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing.stop());
beforeEach(() => billing.stripe.calmDown());

const isAsked = () => billing.stripe.count('POST', /billing_portal/) > 0;

describe('POST /subscription/portal', () => {
  it('opens the portal of the caller, which leads back to the SPA', async () => {
    const browser = await loggedIn(billing.app);
    const { customer } = await subscribe(billing, browser);

    const { status, body } = await browser.post('/subscription/portal');

    expect({ status, body }).toEqual({
      status: 201,
      body: { url: `https://billing.stripe.test/p/session/${customer}` },
    });
    const [request] = billing.stripe.requests.slice(-1);
    expect(request?.parameters).toEqual({
      customer,
      return_url: 'http://localhost:5173/billing',
      locale: 'auto',
    });
  });

  it('opens the portal of an organization to its admins only', async () => {
    const org = await foundOrg(billing.app);
    await subscribe(billing, org.member);

    for (const person of [org.member, org.readonly])
      expect(await person.post('/subscription/portal')).toMatchObject({
        status: 403,
        body: { code: 'InsufficientRole' },
      });
    expect(isAsked()).toBe(false);
    expect((await org.admin.post('/subscription/portal')).status).toBe(201);
  });

  it('opens the portal of the organization, not that of what its admin pays for alone', async () => {
    const org = await foundOrg(billing.app);
    const { customer } = await subscribe(billing, org.admin);
    const stranger = await loggedInAs(billing.app, 'org_admin');

    expect((await org.admin.post('/subscription/portal')).body.url).toContain(customer);
    expect((await stranger.post('/subscription/portal')).body.code).toBe('NoSubscription');
  });

  it('answers NoSubscription to a user who never had one, and still works after the last one has ended', async () => {
    const browser = await loggedIn(billing.app);
    expect(await browser.post('/subscription/portal')).toMatchObject({
      status: 409,
      body: { code: 'NoSubscription' },
    });
    await browser.post('/subscription/checkout', { price_id: billing.stripe.account.addPrice() });
    expect((await browser.post('/subscription/portal')).status).toBe(409);

    const { id } = await subscribe(billing, browser);
    billing.stripe.account.endSubscription(id);
    await deliverAll(billing);

    expect((await browser.post('/subscription/portal')).status).toBe(201);
  });

  it('accepts no return address from the client, and asks for a session', async () => {
    const browser = await loggedIn(billing.app);
    await subscribe(billing, browser);

    for (const field of ['return_url', 'customer', 'success_url'])
      await browser.post('/subscription/portal', { [field]: 'https://evil.example' });
    const addresses = billing.stripe.requests.map(({ parameters }) => parameters.return_url).filter(Boolean);
    expect(new Set(addresses)).toEqual(new Set(['http://localhost:5173/billing']));
    expect((await billing.app.browser().post('/subscription/portal')).status).toBe(401);
  });
});
