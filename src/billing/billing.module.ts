import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Environment } from '../config/environment.js';
import { CronTasks } from '../cron/cron-tasks.js';
import { BillingCustomer } from './billing-customer.entity.js';
import { BillingCustomersRepository } from './billing-customers.repository.js';
import { CheckoutService } from './checkout.service.js';
import { CustomersController } from './customers.controller.js';
import { CustomersService } from './customers.service.js';
import { DifferencesRepository } from './differences.repository.js';
import { Dunning } from './dunning.js';
import { PortalService } from './portal.service.js';
import { PricesService } from './prices.service.js';
import { ReconciliationService } from './reconciliation.service.js';
import { StripeAttempt } from './stripe-attempt.entity.js';
import { StripeAttemptsRepository } from './stripe-attempts.repository.js';
import { STRIPE, stripeClient } from './stripe-client.js';
import { StripeCustomersService } from './stripe-customers.service.js';
import { StripeEvent } from './stripe-event.entity.js';
import { StripeEventsRepository } from './stripe-events.repository.js';
import { StripeSync } from './stripe-sync.js';
import { SubscriptionController } from './subscription.controller.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { WebhookController } from './webhook.controller.js';
import { WebhookService } from './webhook.service.js';

/** Subscriptions, by way of Stripe. */
@Module({
  imports: [TypeOrmModule.forFeature([BillingCustomer, StripeEvent, StripeAttempt])],
  controllers: [SubscriptionController, CustomersController, WebhookController],
  providers: [
    { provide: STRIPE, inject: [Environment], useFactory: stripeClient },
    StripeCustomersService,
    StripeAttemptsRepository,
    StripeEventsRepository,
    BillingCustomersRepository,
    DifferencesRepository,
    PricesService,
    CheckoutService,
    PortalService,
    SubscriptionsService,
    Dunning,
    WebhookService,
    StripeSync,
    ReconciliationService,
    CustomersService,
  ],
  exports: [BillingCustomersRepository, StripeSync, SubscriptionsService],
})
export class BillingModule implements OnModuleInit {
  constructor(
    private readonly cron: CronTasks,
    private readonly reconciliation: ReconciliationService,
  ) {}

  onModuleInit(): void {
    this.cron.prune({ table: 'stripe_events', keptDays: 0 });
    this.cron.prune({ table: 'stripe_attempts', keptDays: 0 });
    this.cron.reconcileWith((options) => this.reconciliation.reconcile(options));
  }
}
