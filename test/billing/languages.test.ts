import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { type Billing, checkOut, startBilling, subscribe } from '../support/billing.js';
import type { Browser } from '../support/browser.js';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling({ SVC_LOCALES: 'en,de,zh-Hans,ar' });
});
afterAll(() => billing.stop());

/** A user whose browser asks for some languages. */
async function asking(acceptLanguage: string): Promise<Browser> {
  const known = await loggedIn(billing.app);
  const browser = billing.app.browser({ 'accept-language': acceptLanguage });
  for (const cookie of known.jar) browser.jar.set(...cookie);
  return browser;
}

describe.each([
  { asked: 'de', page: 'de', customer: 'de' },
  { asked: 'de-AT,en;q=0.8', page: 'de', customer: 'de-AT' },
  { asked: 'en-GB,en', page: 'en-GB', customer: 'en-GB' },
  { asked: 'zh-CN', page: 'zh', customer: 'zh-CN' },
  // Stripe has no pages in Arabic.
  { asked: 'ar', page: 'auto', customer: 'ar' },
  // The service does not speak what is wanted most: Stripe may.
  { asked: 'sv,en;q=0.8', page: 'auto', customer: undefined },
  { asked: '%%%', page: 'auto', customer: undefined },
])('a caller who asks for $asked', ({ asked, page, customer }) => {
  it(`pays on a page of Stripe in ${page}, and changes the subscription on one`, async () => {
    const browser = await asking(asked);
    const { body } = await checkOut(browser, billing.stripe.account.addPrice());
    const session = billing.stripe.account.session(body.id);

    expect(session.locale).toBe(page);
    const { preferred_locales } = billing.stripe.account.customers.get(session.customer) ?? {};
    expect(Object.values(preferred_locales ?? {})).toEqual(customer === undefined ? [] : [customer]);
  });

  it(`changes the subscription on a page in ${page}`, async () => {
    const browser = await asking(asked);
    await subscribe(billing, browser);
    expect((await browser.post('/subscription/portal')).status).toBe(201);

    expect(billing.stripe.requests.at(-1)?.parameters).toMatchObject({ locale: page });
  });
});
