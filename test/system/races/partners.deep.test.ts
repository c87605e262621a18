import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress } from '../../support/accounts.js';
import { crowd } from '../../support/crowd.js';
import { IdentityProvider } from '../../support/identity-provider.js';
import { cookiesOf, send, statusOf } from '../../support/send.js';
import { Replicas } from '../../support/service-process.js';
import { StripeStandIn } from '../../support/stripe/stand-in.js';
import { signatureOf } from '../../support/stripe/webhooks.js';
import { TestDatabase } from '../../support/test-database.js';
import { inRounds, race } from './race.js';

const WEB = 'http://localhost:5173/';

let provider: IdentityProvider;
let stripe: StripeStandIn;
let database: TestDatabase;
let service: Replicas;
beforeAll(async () => {
  [provider, stripe, database] = await Promise.all([
    IdentityProvider.start(),
    StripeStandIn.start(),
    TestDatabase.create(),
  ]);
  service = await Replicas.start(database, 2, {
    ...provider.variables,
    ...stripe.variables,
    SVC_BASE_API_URL: 'http://localhost:3000',
    SVC_BASE_WEB_URL: WEB,
  });
});
afterAll(async () => {
  await service.kill();
  await stripe.stop();
  await provider.stop();
  await database.close();
});

describe('of 32 browsers that come back from the provider with one state and code at once', () => {
  it('one is logged in', () =>
    inRounds(async () => {
      const begun = await send('GET', `${service.at(0).url}/auth/oauth/idp/authorize-url`);
      const cookie = cookiesOf(begun);
      const { authorization_url } = (await begun.json()) as { authorization_url: string };
      const who = { sub: freshAddress(), email: freshAddress(), email_verified: true };
      const callback = await provider.authorize(authorization_url, who);

      const answers = await race(service, (url) => send('GET', url + callback, { cookie }));

      const landings = answers.map(({ headers }) => String(headers.get('location'))).sort();
      expect(landings).toEqual([WEB, ...Array(31).fill(`${WEB}login?error=invalid_state`)]);
      const cookies = answers.map(({ headers }) => String(headers.get('set-cookie')));
      expect(cookies.filter((cookie) => /session_id=[\w-]/.test(cookie))).toHaveLength(1);
    }));
});

describe('of 32 first checkouts at once', () => {
  it('one is made, for one customer', () =>
    inRounds(async () => {
      const [person] = await crowd(database, 1);
      const customers = stripe.account.customers.size;
      const body = { price_id: stripe.account.addPrice() };

      const answers = await race(service, async (url) => {
        const answer = await send('POST', `${url}/subscription/checkout`, { cookie: person?.cookie, body });
        return { status: answer.status, ...((await answer.json()) as { id: string }) };
      });

      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
      expect(stripe.account.customers.size).toBe(customers + 1);
    }));
});

describe('of 32 deliveries of one event at once', () => {
  it('one is stored, with its effect', () =>
    inRounds(async () => {
      const [person] = await crowd(database, 1);
      const body = { price_id: stripe.account.addPrice() };
      const checkout = await send('POST', `${service.at(0).url}/subscription/checkout`, {
        cookie: person?.cookie,
        body,
      });
      stripe.account.events.length = 0;
      stripe.account.completeSession(((await checkout.json()) as { id: string }).id);
      const event = stripe.account.events.find(({ type }) => type === 'checkout.session.completed');

      const statuses = await raceToWebhook(JSON.stringify(event));

      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(await database.rows('SELECT 1 FROM stripe_events WHERE id = $1', [event?.id])).toHaveLength(1);
      const changes = `SELECT 1 FROM audit_events WHERE type = 'subscription.changed' AND user_id = $1`;
      expect(await database.rows(changes, [person?.id])).toHaveLength(1);
    }));
});

/** Delivers an event 32 times at once, as Stripe signs it. */
function raceToWebhook(event: string): Promise<number[]> {
  const headers = { 'stripe-signature': signatureOf(event) };
  return race(service, (url) =>
    statusOf('POST', `${url}/subscription/webhook`, { body: JSON.parse(event), headers }),
  );
}
