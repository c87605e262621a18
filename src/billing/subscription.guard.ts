import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { SubscriptionRequired, Unauthenticated } from '../http/errors.js';
import { RequiresSubscription } from '../http/route.js';
import { BillingCustomersRepository, payerOf } from './billing-customers.repository.js';

/**
 * Admits users whose organization, or who themselves, have a subscription: one that is active, on trial, or past due
 * for no longer than `SVC_STRIPE_PAST_DUE_GRACE_DAYS`.
 */
@Injectable()
export class SubscriptionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly customers: BillingCustomersRepository,
    private readonly environment: Environment,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const marked = [context.getHandler(), context.getClass()];
    if (!this.reflector.getAllAndOverride(RequiresSubscription, marked)) return true;

    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!caller) throw new Unauthenticated();
    const { stripePastDueGraceDays } = this.environment;
    const isAdmitted = await this.customers.isAdmitted(payerOf(caller.user), stripePastDueGraceDays);
    if (!isAdmitted) throw new SubscriptionRequired();
    return true;
  }
}
