import type Stripe from 'stripe';

/** Whether Stripe, or its client, threw this. Told by its `type`, for which Stripe's package need not be loaded. */
export function isStripeError(error: unknown): error is Stripe.errors.StripeError {
  return typeOf(error).startsWith('Stripe');
}

/** Whether Stripe refused a request for what it asks. */
export function isInvalidRequest(error: unknown): boolean {
  return typeOf(error) === 'StripeInvalidRequestError';
}

function typeOf(error: unknown): string {
  return error instanceof Error && 'type' in error ? String(error.type) : '';
}
