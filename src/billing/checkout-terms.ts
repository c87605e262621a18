import type Stripe from 'stripe';
import type { Environment } from '../config/environment.js';

/** Days of a trial, in the metadata of a price; Stripe takes no longer trial. */
const TRIAL_DAYS = 'trial_days';
const MAX_TRIAL_DAYS = 730;

/** What the settings ask of a checkout besides the price. */
type CheckoutTerms = Pick<
  Stripe.Checkout.SessionCreateParams,
  | 'subscription_data'
  | 'payment_method_collection'
  | 'allow_promotion_codes'
  | 'automatic_tax'
  | 'customer_update'
  | 'tax_id_collection'
  | 'billing_address_collection'
>;

/**
 * What the settings ask for. A setting that is absent adds nothing, so that a checkout which is open stays the answer to
 * the same request.
 */
export function checkoutTerms(
  price: Stripe.Price,
  { trialUsed }: { trialUsed: boolean },
  environment: Environment,
): CheckoutTerms {
  const trialDays = price.recurring === null || trialUsed ? 0 : trialDaysOf(price, environment);
  return {
    ...(trialDays > 0 && trialTerms(trialDays, environment)),
    ...(environment.stripePromotionCodes === 'on' && { allow_promotion_codes: true }),
    ...(environment.stripeAutomaticTax === 'on' && TAX),
    ...(environment.stripeBillingAddress === 'required' && { billing_address_collection: 'required' }),
  };
}

/** Whether a checkout offers a trial. */
export function offersTrial({ subscription_data }: CheckoutTerms): boolean {
  return subscription_data?.trial_period_days !== undefined;
}

/** Whether a price says in its metadata how long its trial is, in a way that cannot be read. */
export function isTrialUnreadable({ metadata }: Stripe.Price): boolean {
  return metadata[TRIAL_DAYS] !== undefined && readDays(metadata[TRIAL_DAYS]) === null;
}

/** Stripe takes tax by the address, and a tax id with the name of who has it: both are kept at the customer. */
const TAX: CheckoutTerms = {
  automatic_tax: { enabled: true },
  customer_update: { address: 'auto', name: 'auto' },
  tax_id_collection: { enabled: true },
};

/** Without a card, nothing could be charged at the end of the trial, so it is the end of the subscription too. */
function trialTerms(days: number, { stripeTrialCard }: Environment): CheckoutTerms {
  if (stripeTrialCard === 'required') return { subscription_data: { trial_period_days: days } };
  return {
    subscription_data: {
      trial_period_days: days,
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    },
    payment_method_collection: 'if_required',
  };
}

/** What a price says goes before the setting; 0 is none. */
function trialDaysOf({ metadata }: Stripe.Price, { stripeTrialDays = 0 }: Environment): number {
  return readDays(metadata[TRIAL_DAYS]) ?? stripeTrialDays;
}

/** Returns null where there is nothing, or nothing that can be read. */
function readDays(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,3}$/.test(text)) return null;
  return Number(text) <= MAX_TRIAL_DAYS ? Number(text) : null;
}
