import type Stripe from 'stripe';
import { stripeClient } from '../../billing/stripe-client.js';
import { isStripeError, nullIfMissing } from '../../billing/stripe-errors.js';
import type { Environment } from '../../config/environment.js';
import type { Finding } from '../../config/preflight/finding.js';
import { requestBounded } from '../../outbound/bounded-request.js';
import { examineSmtp } from './smtp.js';

const TIME_LIMIT_MS = 10_000;

/**
 * Asks Stripe and SendGrid whether they take the keys, by reading something, and the SMTP server whether it takes the
 * login. Azure has nothing to read but a mail.
 */
export async function examineKeys(environment: Environment): Promise<Finding[]> {
  const findings = await Promise.all([
    examineStripe(environment),
    examineMailapi(environment),
    examineSmtp(environment),
  ]);
  return findings.filter((finding) => finding !== null);
}

async function examineStripe(environment: Environment): Promise<Finding | null> {
  const stripe = await stripeClient(environment);
  if (stripe === null) return null;
  try {
    await stripe.prices.list({ limit: 1 });
    return await examinePrices(stripe, environment);
  } catch (error) {
    if (!isStripeError(error)) throw error;
    const isRefused = error.statusCode === 401 || error.statusCode === 403;
    return isRefused
      ? refused('STRIPE_KEY_REFUSED', 'Stripe', 'SVC_STRIPE_SECRET_KEY', 'to read prices')
      : unanswered('STRIPE_UNREACHABLE', 'Stripe', 'SVC_STRIPE_SECRET_KEY');
  }
}

/** The prices on sale of which Stripe knows nothing: nobody can check out with one. */
async function examinePrices(stripe: Stripe, { stripePriceIds }: Environment): Promise<Finding | null> {
  const unknown: string[] = [];
  for (const id of stripePriceIds) {
    const price = await stripe.prices.retrieve(id).catch(nullIfMissing);
    if (price === null) unknown.push(id);
  }
  if (unknown.length === 0) return null;
  return {
    code: 'STRIPE_PRICE_UNKNOWN',
    severity: 'error',
    text: `Stripe does not know prices in SVC_STRIPE_PRICE_IDS: ${unknown.join(', ')}.`,
    fix: 'Name prices of the account and of the mode, test or live, that SVC_STRIPE_SECRET_KEY is of.',
  };
}

async function examineMailapi({ mailapiApiKey, mailapiBaseUrl }: Environment): Promise<Finding | null> {
  if (mailapiApiKey === undefined) return null;
  const scopes = await scopesAt(mailapiBaseUrl, mailapiApiKey);
  if (scopes === null) return unanswered('MAILAPI_UNREACHABLE', 'SendGrid', 'SVC_MAILAPI_API_KEY');
  if (scopes.includes('mail.send')) return null;
  return refused('MAILAPI_KEY_REFUSED', 'SendGrid', 'SVC_MAILAPI_API_KEY', 'to send mail');
}

/** What a key may do; nothing when it is not valid. Returns null when SendGrid does not say. */
async function scopesAt(address: string, key: string): Promise<string[] | null> {
  try {
    const { isOk, status, text } = await requestBounded(`${new URL('/v3/scopes', address)}`, TIME_LIMIT_MS, {
      headers: { authorization: `Bearer ${key}` },
    });
    if (status === 401) return [];
    return isOk ? (JSON.parse(text) as { scopes: string[] }).scopes : null;
  } catch {
    return null;
  }
}

function refused(code: string, provider: string, variable: string, permission: string): Finding {
  return {
    code,
    severity: 'error',
    text: `${provider} does not take the key in ${variable}.`,
    fix: `Make a new key in the console of the provider, with the permission ${permission}.`,
  };
}

function unanswered(code: string, provider: string, variable: string): Finding {
  return {
    code,
    severity: 'warning',
    text: `${provider} did not say whether it takes the key in ${variable}.`,
    fix: 'See that this machine may reach it, or ask again later.',
  };
}
