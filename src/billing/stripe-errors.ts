import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { catchError } from 'rxjs';
import type Stripe from 'stripe';
import { PaymentProviderError } from '../http/errors.js';

/** Whether Stripe, or its client, threw this. Its `type` shows it, for which Stripe's package need not be loaded. */
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

/** Answers the client with PaymentProviderError when Stripe fails; the cause goes into the log. */
@Injectable()
export class StripeErrorsInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(
      catchError((error) => {
        throw isStripeError(error) ? Object.assign(new PaymentProviderError(), { cause: error }) : error;
      }),
    );
  }
}
