import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { expectProblem } from '../support/answers.js';
import { type Billing, rowOf, startBilling, subscribe } from '../support/billing.js';
import type { Event, Subscription } from '../support/stripe/objects.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { deliver, post, signatureOf } from '../support/stripe/webhooks.js';
import { TestApp } from '../support/test-app.js';

const NEXT_SECRET = 'whsec_of_the_next_year';

let billing: Billing;
let subscription: Subscription;
beforeAll(async () => {
  billing = await startBilling({
    SVC_STRIPE_WEBHOOK_SECRET: `${StripeStandIn.signingSecret}, ${NEXT_SECRET}`,
  });
  subscription = await subscribe(billing, await loggedIn(billing.app));
});
afterAll(() => billing.stop());

/** An event that would end the subscription, which no event has reported to the service. */
let event: Event;
let body: string;
beforeEach(() => {
  billing.stripe.account.updateSubscription(subscription.id, { status: 'canceled' }, 'deleted');
  event = billing.stripe.account.events.splice(0).at(-1) as Event;
  // Letters beyond ASCII, and one that stands for bytes that are no text.
  event.data.object = { ...(event.data.object as object), description: 'Grüße \ufffd' };
  body = JSON.stringify(event, null, 2);
});

/** Sends bytes with the signature of the event. */
const send = (payload: string | Buffer, signature?: string | string[], contentType = 'application/json') =>
  billing.app.nest.inject({
    method: 'POST',
    url: '/subscription/webhook',
    headers: {
      'content-type': contentType,
      ...(signature !== undefined && { 'stripe-signature': signature }),
    },
    payload,
  });

const storedStatus = async () => (await rowOf(billing, subscription.customer)).status;
const isInLedger = (id: string) =>
  billing.app.database.value('SELECT count(*)::int = 1 FROM stripe_events WHERE id = $1', [id]);

describe('POST /subscription/webhook', () => {
  it.each<[string, () => [payload: string | Buffer, signature?: string]]>([
    ['no signature', () => [body]],
    ['an empty signature', () => [body, '']],
    ['a signature that is none', () => [body, 'whsec_of_the_tests']],
    ['no time', () => [body, signatureOf(body).replace(/t=\d+,/, '')]],
    ['another time', () => [body, signatureOf(body).replace(/t=\d+/, 't=1999999999')]],
    ['a time that is none', () => [body, signatureOf(body).replace(/t=\d+/, 't=now')]],
    ['a signature of another scheme', () => [body, signatureOf(body).replace('v1=', 'v0=')]],
    ['half a signature', () => [body, signatureOf(body).slice(0, -32)]],
    ['the signature of a stranger', () => [body, signatureOf(body, { secret: 'whsec_forged' })]],
    ['a signature made with no secret', () => [body, signatureOf(body, { secret: '' })]],
    ['a signature made with a blank secret', () => [body, signatureOf(body, { secret: ' ' })]],
    ['a signature made with both secrets', () => [body, signatureOf(body, { secret: listOfSecrets() })]],
    ['the signature of another event', () => [body, signatureOf(body.replace(event.id, 'evt_other'))]],
    ['a signature older than 300 seconds', () => [body, signatureOf(body, { age: 301 })]],
    ['the same JSON, written otherwise', () => [JSON.stringify(event), signatureOf(body)]],
    ['a line break at its end', () => [`${body}\n`, signatureOf(body)]],
    ['a byte order mark before it', () => [`\ufeff${body}`, signatureOf(body)]],
    ['UTF-16', () => [Buffer.from(body, 'utf16le'), signatureOf(body)]],
    ['Latin-1', () => [Buffer.from(body, 'latin1'), signatureOf(body)]],
    ['other bytes that are no text', () => [withBrokenByte(body), signatureOf(body)]],
    ['nothing', () => ['', signatureOf('')]],
    ['signed text that is no JSON', () => ['{', signatureOf('{')]],
  ])('answers 400 to %s, and nothing changes', async (_, request) => {
    const [payload, signature] = request();
    billing.stripe.requests.length = 0;

    const answer = await send(payload, signature);

    expectProblem(answer, 400, 'InvalidSignature');
    expect(billing.stripe.requests).toEqual([]);
    expect([await storedStatus(), await isInLedger(event.id)]).toEqual(['active', false]);
  });

  it('answers 400 to a request that was recorded, and is sent again after 300 seconds', async () => {
    const unknown = { ...event, type: 'charge.refunded' };
    const recorded = JSON.stringify(unknown);
    const signature = signatureOf(recorded);
    expect((await send(recorded, signature)).statusCode).toBe(200);

    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 302_000);
    const again = await send(recorded, signature);
    clock.mockRestore();

    expectProblem(again, 400, 'InvalidSignature');
  });

  it('refuses another content type, like everywhere', async () => {
    expectProblem(await send(body, signatureOf(body), 'text/plain'), 415, 'UnsupportedMediaType');
  });

  it('takes an event of up to 256 KiB, and refuses a larger one before it looks at the signature', async () => {
    const ofLength = (length: number) => body + ' '.repeat(length - Buffer.byteLength(body));
    const [largest, larger] = [ofLength(256 * 1024), ofLength(256 * 1024 + 1)];

    expect((await send(largest, signatureOf(largest))).statusCode).toBe(200);
    expect(await storedStatus()).toBe('canceled');
    expectProblem(await send(larger, 'of nobody'), 413, 'PayloadTooLarge');
  });

  it('refuses a page in a browser', async () => {
    const headers = { 'stripe-signature': signatureOf(body), origin: 'https://evil.example' };
    expect((await post(billing.app, body, headers)).body.code).toBe('OriginNotAllowed');
  });

  it('accepts the signed bytes as they are, however the JSON is written', async () => {
    const written = ` \n${JSON.stringify(event, null, '\t').replace('ü', '\\u00fc')}`;

    expect((await send(written, signatureOf(written))).statusCode).toBe(200);
    expect(await storedStatus()).toBe('canceled');
  });

  it('accepts the signature of either secret while the operator rotates one, also beside other signatures', async () => {
    const others = `${signatureOf(body, { secret: 'whsec_retired' })},v0=abc`;
    const next = signatureOf(body, { secret: NEXT_SECRET });
    const both = `${next},${others.split(',')[1]}`;

    expect((await deliver(billing.app, event)).body).toEqual({ received: true });
    expect((await send(body, both)).statusCode).toBe(200);
  });

  it('answers 404 like an unknown path when no key is set, whatever the request', async () => {
    const closed = await TestApp.start({}, { database: billing.app.database });
    for (const path of ['/subscription/webhook', '/subscription/checkout', '/subscription/portal'])
      expect(await closed.browser({}).post(path, body)).toMatchObject({
        status: 404,
        body: { code: 'NotFound' },
      });
    expect((await closed.browser().get('/subscription')).status).toBe(404);
    await closed.nest.close();
  });
});

function listOfSecrets(): string {
  return `${StripeStandIn.signingSecret},${NEXT_SECRET}`;
}

/** The same text to a reader that replaces what is no UTF-8. */
function withBrokenByte(text: string): Buffer {
  const bytes = Buffer.from(text);
  const place = bytes.indexOf('\ufffd');
  return Buffer.concat([bytes.subarray(0, place), Buffer.from([0xff]), bytes.subarray(place + 3)]);
}
