import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { catchError } from 'rxjs';
import { PaymentProviderError } from '../http/errors.js';
import { isStripeError } from './stripe-error.js';

/** Tells the client of a failure at Stripe as PaymentProviderError; its cause goes into the log. */
@Injectable()
export class StripeFailuresInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(
      catchError((error) => {
        throw isStripeError(error) ? Object.assign(new PaymentProviderError(), { cause: error }) : error;
      }),
    );
  }
}
