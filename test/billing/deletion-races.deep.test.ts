import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedInAs, PASSWORD } from '../support/accounts.js';
import { type Billing, startBilling, subscribe } from '../support/billing.js';
import type { Browser } from '../support/browser.js';
import { foundOrg, type TestOrg } from '../support/orgs.js';
import { deliver } from '../support/stripe/webhooks.js';

let billing: Billing;
let root: Browser;
beforeAll(async () => {
  billing = await startBilling();
  root = await loggedInAs(billing.app, 'sys_admin');
});
afterAll(() => billing.stop());

const deleteAccount = (browser: Browser) =>
  browser.send('DELETE', '/users/me', { current_password: PASSWORD });
const deleteOrg = ({ id }: TestOrg) => root.delete(`/orgs/${id}`);

describe('deletions, checkouts, departures and webhooks of one organization at once', () => {
  it('do not deadlock', async () => {
    for (let round = 0; round < 5; round++) {
      const org = await foundOrg(billing.app);
      const subscription = await subscribe(billing, org.admin);
      const price = billing.stripe.account.addPrice();
      const reported = Array.from({ length: 6 }, (_, index) =>
        index === 3
          ? billing.stripe.account.endSubscription(subscription.id)
          : billing.stripe.account.updateSubscription(subscription.id, {}),
      );
      const events = billing.stripe.account.events.splice(0);
      expect(events).toHaveLength(reported.length);

      const answers = await Promise.all([
        ...events.map((event) => deliver(billing.app, event)),
        deleteOrg(org),
        org.admin.post('/subscription/checkout', { price_id: price }),
        org.member.delete(`/orgs/${org.id}/members/${org.member.id}`),
        deleteAccount(org.readonly),
        deleteOrg(org),
      ]);

      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    }
  });
});
