import { createHmac } from 'node:crypto';
import type { Answer } from '../browser.js';
import type { TestApp } from '../test-app.js';
import type { Event } from './objects.js';
import { StripeStandIn } from './stand-in.js';

/** How an event is signed. */
interface Signing {
  secret?: string;
  /** Seconds since the signature was made. */
  age?: number;
}

/** The `Stripe-Signature` of a body. */
export function signatureOf(
  body: string | Buffer,
  { secret = StripeStandIn.signingSecret, age = 0 }: Signing = {},
): string {
  const timestamp = Math.floor(Date.now() / 1000) - age;
  const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return `t=${timestamp},v1=${hmac}`;
}

/** Sends an event to the webhook, as Stripe does. */
export function deliver(app: TestApp, event: Event, signing: Signing = {}): Promise<Answer> {
  const body = JSON.stringify(event, null, 2);
  return post(app, body, { 'stripe-signature': signatureOf(body, signing) });
}

/** Posts a body to the webhook; Stripe is no browser, and names no origin. */
export function post(app: TestApp, body: string, headers: Record<string, string>): Promise<Answer> {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return app.browser({}).send('POST', '/subscription/webhook', body, { ...type, ...headers });
}
