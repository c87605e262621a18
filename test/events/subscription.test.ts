import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { BackEnd } from '../support/back-end.js';
import { type Billing, startBilling, subscribe } from '../support/billing.js';
import { foundOrg } from '../support/orgs.js';
import { webhooks } from '../support/webhooks.js';

let backEnd: BackEnd;
let billing: Billing;
beforeAll(async () => {
  backEnd = await BackEnd.start();
  const { url, secrets } = backEnd;
  billing = await startBilling(webhooks({ url, secrets, types: ['subscription.changed'] }));
});
afterAll(async () => {
  await billing.stop();
  await backEnd.close();
});

it('A subscription that begins reaches the back end with its present state, and nothing else does', async () => {
  const org = await foundOrg(billing.app);
  await subscribe(billing, org.admin);

  const event = await backEnd.event(({ type }) => type === 'subscription.changed');

  expect(event.data).toMatchObject({ org_id: org.id, details: { former_status: null, status: 'active' } });
  expect(event.data).toMatchObject({
    subscription: (await org.admin.get('/subscription')).body.subscription,
  });
  expect(backEnd.requests.map(({ event }) => 'type' in event && event.type)).toEqual([
    'subscription.changed',
  ]);
});
