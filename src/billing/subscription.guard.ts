import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SubscriptionRequired, Unauthenticated } from '../http/errors.js';
import { rulesOf } from '../http/route-rules.js';
import { BillingCustomersRepository } from './billing-customers.repository.js';

/** Admits users whose organization, or who themselves, have a subscription. */
@Injectable()
export class SubscriptionGuard implements CanActivate {
  constructor(private readonly customers: BillingCustomersRepository) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return !rulesOf(context).requiresSubscription || this.isSubscribed(context);
  }

  private async isSubscribed(context: ExecutionContext): Promise<boolean> {
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!caller) throw new Unauthenticated();
    if (!(await this.customers.isAdmitted(caller))) throw new SubscriptionRequired();
    return true;
  }
}
