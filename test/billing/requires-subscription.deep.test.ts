import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { Public, RequiresSubscription } from '../../src/http/route.js';
import { loggedIn, loggedInAs } from '../support/accounts.js';
import { type Billing, deliverAll, startBilling, subscribe } from '../support/billing.js';
import type { Browser } from '../support/browser.js';
import { foundOrg } from '../support/orgs.js';
import { statementsDuring } from '../support/statements.js';

const DAY = 24 * 60 * 60;

@Controller('reports')
class ReportsController {
  @Get()
  @RequiresSubscription()
  list() {
    return { reports: ['the paid one'] };
  }

  @Get('free')
  free() {
    return { reports: ['the free one'] };
  }

  @Get('contradictory')
  @Public()
  @RequiresSubscription()
  contradictory() {
    return {};
  }
}

@Controller('exports')
@RequiresSubscription()
class ExportsController {
  @Get()
  list() {
    return {};
  }
}

/** A product as it is built on this service. */
@Module({ controllers: [ReportsController, ExportsController] })
class ProductModule {}

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling(
    { SVC_STRIPE_PAST_DUE_GRACE_DAYS: '3' },
    { product: { modules: [ProductModule] } },
  );
});
afterAll(() => billing.stop());

const reports = (browser: Browser) => browser.get('/reports');
const refusal = { status: 402, body: { code: 'SubscriptionRequired' } };

/** A user with a subscription in some state. */
async function subscriber(status: string): Promise<Browser> {
  const browser = await loggedIn(billing.app);
  const { id } = await subscribe(billing, browser);
  billing.stripe.account.updateSubscription(id, { status });
  await deliverAll(billing);
  return browser;
}

describe('a route that requires a subscription', () => {
  it.each(['active', 'trialing'])('admits a user whose subscription is %s', async (status) => {
    expect(await reports(await subscriber(status))).toMatchObject({
      status: 200,
      body: { reports: ['the paid one'] },
    });
  });

  it.each(['canceled', 'unpaid', 'paused', 'incomplete', 'incomplete_expired', 'of a kind yet to come'])(
    'refuses a user whose subscription is %s',
    async (status) => {
      expect(await reports(await subscriber(status))).toMatchObject(refusal);
    },
  );

  it('refuses a user who has none, whatever their role, and a client who is not logged in', async () => {
    for (const role of ['member', 'sys_admin'] as const)
      expect(await reports(await loggedInAs(billing.app, role))).toMatchObject(refusal);
    expect((await reports(billing.app.browser())).status).toBe(401);
    expect((await billing.app.browser().get('/reports/contradictory')).status).toBe(401);
  });

  it('costs the statement that finds the session, and no other', async () => {
    const browser = await subscriber('active');
    expect(await statementsDuring(() => reports(browser))).toHaveLength(1);
  });

  it('may be any route of a marked controller, and no route of another one', async () => {
    const browser = await loggedIn(billing.app);

    expect(await browser.get('/exports')).toMatchObject(refusal);
    expect((await browser.get('/reports/free')).status).toBe(200);
  });

  it('admits a user whose subscription ends with the period, until it has ended', async () => {
    const browser = await loggedIn(billing.app);
    const { id } = await subscribe(billing, browser);
    billing.stripe.account.updateSubscription(id, { cancel_at_period_end: true });
    await deliverAll(billing);
    expect((await reports(browser)).status).toBe(200);

    billing.stripe.account.endSubscription(id);
    await deliverAll(billing);
    expect(await reports(browser)).toMatchObject(refusal);
  });

  it('asks for the subscription of the organization, not for one of a member', async () => {
    const org = await foundOrg(billing.app);
    await subscribe(billing, org.admin);
    for (const person of [org.admin, org.member, org.readonly])
      expect((await reports(person)).status).toBe(200);

    await org.member.delete(`/orgs/${org.id}/members/${org.member.id}`);
    expect(await reports(org.member)).toMatchObject(refusal);
  });
});

describe('a subscription that is past due', () => {
  /** A payer who owes since some days, and maybe since a later day too. */
  async function debtor(...daysAgo: number[]): Promise<Browser> {
    const browser = await loggedIn(billing.app);
    const { id } = await subscribe(billing, browser);
    const now = Math.floor(Date.now() / 1000);
    for (const days of daysAgo) billing.stripe.account.failPayment(id, now - days * DAY);
    await deliverAll(billing);
    return browser;
  }

  it('admits its user for as many days as SVC_STRIPE_PAST_DUE_GRACE_DAYS says', async () => {
    expect((await reports(await debtor(2.9))).status).toBe(200);
    expect(await reports(await debtor(3.1))).toMatchObject(refusal);
  });

  it('gets no new grace by the next invoice, in whatever order Stripe reports them', async () => {
    expect(await reports(await debtor(31, 1))).toMatchObject(refusal);
  });

  it('admits its user from the due date on where invoices are sent, and by the first that was due', async () => {
    const now = Math.floor(Date.now() / 1000);
    /** Created and due so many days from now. */
    const owing = async (...invoices: [created: number, due: number][]) => {
      const browser = await loggedIn(billing.app);
      const { id } = await subscribe(billing, browser);
      for (const [created, due] of invoices)
        billing.stripe.account.failPayment(id, now + created * DAY, now + due * DAY);
      await deliverAll(billing);
      return reports(browser);
    };

    expect((await owing([-8, 22])).status).toBe(200);
    expect((await owing([-32.9, -2.9])).status).toBe(200);
    expect(await owing([-33.1, -3.1])).toMatchObject(refusal);
    expect(await owing([-31, 14], [-8, -4])).toMatchObject(refusal);
  });

  /** A payer with an invoice, and until when its grace admits them. */
  const owing = async (created: number, due: number | null) => {
    const browser = await loggedIn(billing.app);
    const { id } = await subscribe(billing, browser);
    billing.stripe.account.failPayment(id, created, due);
    await deliverAll(billing);
    return browser;
  };
  const instant = async (): Promise<number> =>
    Number(await billing.app.database.value('SELECT extract(epoch FROM clock_timestamp())'));

  it.each([
    ['with a term of 30 days, to the end of the grace after day 30', 30],
    ['by card, to the end of the grace after the day it was made', null],
  ])('admits its user %s, and not a moment longer', async (_, term) => {
    const end = Math.floor(Date.now() / 1000) + 2;
    const due = end - 3 * DAY;
    const browser = await owing(term === null ? due : due - term * DAY, term === null ? null : due);

    const seen = new Set<number>();
    while (!seen.has(402)) {
      const before = await instant();
      const { status } = await reports(browser);
      if (status === 200) expect(before).toBeLessThan(end);
      else expect(await instant()).toBeGreaterThanOrEqual(end);
      seen.add(status);
    }
    expect([...seen]).toEqual([200, 402]);
  });

  it('admits its user again once it is paid', async () => {
    const browser = await loggedIn(billing.app);
    const { id } = await subscribe(billing, browser);
    billing.stripe.account.failPayment(id, Math.floor(Date.now() / 1000) - 5 * DAY);
    await deliverAll(billing);
    expect(await reports(browser)).toMatchObject(refusal);

    billing.stripe.account.settle(id);
    await deliverAll(billing);

    expect((await reports(browser)).status).toBe(200);
  });
});
