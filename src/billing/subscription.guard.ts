import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { SubscriptionRequired, Unauthenticated } from '../http/errors.js';
import { rulesOf } from '../http/route-rules.js';
import { BillingCustomersRepository, payerOf } from './billing-customers.repository.js';

/**
 * Admits users whose organization, or who themselves, have a subscription: one that is active, on trial, or past due
 * for no longer than `SVC_STRIPE_PAST_DUE_GRACE_DAYS`.
 */
@Injectable()
export class SubscriptionGuard implements CanActivate {
  constructor(
    private readonly customers: BillingCustomersRepository,
    private readonly environment: Environment,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return !rulesOf(context).requiresSubscription || this.isSubscribed(context);
  }

  private async isSubscribed(context: ExecutionContext): Promise<boolean> {
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!caller) throw new Unauthenticated();
    const { stripePastDueGraceDays } = this.environment;
    const isAdmitted = await this.customers.isAdmitted(payerOf(caller.user), stripePastDueGraceDays);
    if (!isAdmitted) throw new SubscriptionRequired();
    return true;
  }
}
