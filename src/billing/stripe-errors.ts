import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import { catchError } from 'rxjs';
import type Stripe from 'stripe';
import { PaymentProviderError, PaymentProviderRefusal } from '../http/errors.js';

/** Whether Stripe, or its client, threw this. Its `type` shows it, for which Stripe's package need not be loaded. */
export function isStripeError(error: unknown): error is Stripe.errors.StripeError {
  return typeOf(error).startsWith('Stripe');
}

/** Whether Stripe refused a request for what it asks. */
export function isInvalidRequest(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return typeOf(error) === 'StripeInvalidRequestError';
}

/** Whether Stripe knows nothing of what a request is about: it is of another account or mode, or was never there. */
export function isMissing(error: unknown): boolean {
  return isInvalidRequest(error) && error.code === 'resource_missing';
}

/** Null in place of an object that Stripe does not know; throws any other error again. */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

/** Whether Stripe refused what a request asks, or the payment, so that the same request would be refused again. */
function isRefusal(error: unknown): error is Stripe.errors.StripeError {
  return typeOf(error) === 'StripeCardError' || (isInvalidRequest(error) && !isMissing(error));
}

function typeOf(error: unknown): string {
  return error instanceof Error && 'type' in error ? String(error.type) : '';
}

/**
 * Answers the client with PaymentProviderRefusal when Stripe refuses what is asked of it, which it would do again, and
 * with PaymentProviderError when it fails. Something that was there a moment ago and is missing now counts as a
 * failure: the next request reads again what there is. The cause goes into the log.
 */
@Injectable()
export class StripeErrorsInterceptor implements NestInterceptor {
  private readonly logger = new Logger(StripeErrorsInterceptor.name);

  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(
      catchError((error) => {
        if (!isStripeError(error)) throw error;
        if (!isRefusal(error)) throw Object.assign(new PaymentProviderError(), { cause: error });
        this.logger.error(
          { event: 'stripe.refused', stripe_request: error.requestId, err: error },
          'Stripe refused a request for what it asks.',
        );
        throw new PaymentProviderRefusal();
      }),
    );
  }
}
