import Stripe from 'stripe';
import type { Environment } from '../config/environment.js';

/** The version whose answers are read here, whatever the account's own default is. */
const API_VERSION = '2026-10-28.endive';

/** Three tries of three seconds, half a second apart: who waits for Stripe is answered after ten seconds at most. */
const TIMEOUT_MS = 3_000;
const RETRIES = 2;

/** Whether there is a Stripe account to bill through. */
export function isBillingOn({ stripeSecretKey }: Environment): boolean {
  return stripeSecretKey !== undefined;
}

/** Stripe as this service talks to it. Without a key it is never asked anything. */
export function stripeClient({ stripeSecretKey = 'none', stripeApiBase }: Environment): Stripe {
  const { protocol, hostname, port } = new URL(stripeApiBase);
  const isPlain = protocol === 'http:';
  return new Stripe(stripeSecretKey, {
    apiVersion: API_VERSION,
    protocol: isPlain ? 'http' : 'https',
    host: hostname,
    port: port || (isPlain ? 80 : 443),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  });
}
