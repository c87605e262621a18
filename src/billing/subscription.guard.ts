import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../http/caller.js';
import { SubscriptionRequired } from '../http/errors.js';
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
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!(await this.isPaidFor(request))) throw new SubscriptionRequired();
    return true;
  }

  /** A key pays nothing: its organization does. */
  private isPaidFor(request: FastifyRequest): Promise<boolean> {
    const { key, orgId = null } = request;
    return key ? this.customers.isOrgAdmitted(orgId) : this.customers.isAdmitted(callerOf(request));
  }
}
