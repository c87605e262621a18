import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { NotWhileActing } from '../http/errors.js';
import { ProductRoutes } from '../http/product-routes.js';
import type { ActingAccess } from '../http/route.js';
import { rulesOf } from '../http/route-rules.js';

/** The methods that only read (RFC 9110 §9.2.1). */
const READING: readonly string[] = ['GET', 'HEAD'];

/** Whether a request with a method only reads. */
export const isReading = (method: string) => READING.includes(method);

/**
 * Refuses to a SYSTEM_ADMIN who acts for a user what only the user may do. A route of the service that does more than read is
 * closed unless it says otherwise, so that nobody has to think of acting to keep a new one closed.
 */
@Injectable()
export class ActingGuard implements CanActivate {
  constructor(private readonly product: ProductRoutes) {}

  canActivate(context: ExecutionContext): boolean {
    const { caller, method } = context.switchToHttp().getRequest<FastifyRequest>();
    const acting = caller?.session.acting;
    if (!acting) return true;

    const access = this.accessTo(context, method);
    if (access === 'none') throw new NotWhileActing();
    if (access === 'writers' && !acting.mayWrite)
      throw new NotWhileActing('You are acting for this user, and may only look.');
    return true;
  }

  private accessTo(context: ExecutionContext, method: string): ActingAccess {
    const { whileActing, needsStepUp } = rulesOf(context);
    if (needsStepUp) return 'none';
    if (whileActing !== undefined) return whileActing;
    if (isReading(method)) return 'all';
    return this.product.has(context.getClass()) ? 'writers' : 'none';
  }
}
