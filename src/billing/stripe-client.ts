import { Inject } from '@nestjs/common';
import type Stripe from 'stripe';
import type { Environment } from '../config/environment.js';
import { fetchBounded } from '../outbound/bounded-request.js';

/** The version whose answers are read here, whatever the account's own default is. */
const API_VERSION = '2026-10-28.endive';

/**
 * Three tries of three seconds, half a second apart: a client that waits for Stripe gets an answer after ten seconds at
 * most.
 */
const TIMEOUT_MS = 3_000;
const RETRIES = 2;

/** Bytes of an answer; a page of a hundred subscriptions has some hundred thousand. */
const SIZE_LIMIT = 8 * 1024 * 1024;

/** Whether there is a Stripe account to bill through. */
export function isBillingOn({ stripeSecretKey }: Environment): boolean {
  return stripeSecretKey !== undefined;
}

/** Whether the key is of the live mode, and not of the test mode. */
export function isLiveMode({ stripeSecretKey = '' }: Environment): boolean {
  return /^.._live_/.test(stripeSecretKey);
}

/** Whether a customer was made with a key of the other mode: Stripe does not know it by the key of the settings. */
export function isOfOtherMode({ livemode }: { livemode: boolean | null }, environment: Environment): boolean {
  return livemode !== null && livemode !== isLiveMode(environment);
}

/** The name that Stripe has for the mode. */
export function stripeMode(environment: Environment): 'live' | 'test' {
  return isLiveMode(environment) ? 'live' : 'test';
}

export const STRIPE = Symbol('stripe');

/** Injects the client. It is null where there is no account: no route and no job that asks Stripe is open there. */
export const InjectStripe = (): ParameterDecorator => Inject(STRIPE);

/**
 * Stripe as this service talks to it. Returns null without a key, and then loads nothing: it takes a sixth of a
 * second and 20 MB.
 */
export async function stripeClient({ stripeSecretKey, stripeApiBase }: Environment): Promise<Stripe | null> {
  if (stripeSecretKey === undefined) return null;
  const { default: Stripe } = await import('stripe');
  const { protocol, hostname, port } = new URL(stripeApiBase);
  const isPlain = protocol === 'http:';
  return new Stripe(stripeSecretKey, {
    apiVersion: API_VERSION,
    protocol: isPlain ? 'http' : 'https',
    host: hostname,
    port: port || (isPlain ? 80 : 443),
    // Its client over Node's own requests limits only how long an answer pauses.
    httpClient: Stripe.createFetchHttpClient((url, request = {}) => fetchBounded(url, request, SIZE_LIMIT)),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  });
}
