import { Module } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { CronTasks } from '../cron/cron-tasks.js';
import { AlignmentService } from './alignment.service.js';
import { BillingCustomersRepository } from './billing-customers.repository.js';
import { CheckoutService } from './checkout.service.js';
import { DriftRepository } from './drift.repository.js';
import { PortalService } from './portal.service.js';
import { PricesService } from './prices.service.js';
import { ReconciliationService } from './reconciliation.service.js';
import { SignedEvents } from './signed-events.js';
import { StripeAttempts } from './stripe-attempts.js';
import { STRIPE, stripeClient } from './stripe-client.js';
import { StripeCustomersService } from './stripe-customers.service.js';
import { StripeEventsRepository } from './stripe-events.repository.js';
import { SubscriptionController } from './subscription.controller.js';
import { SubscriptionReader } from './subscription-reader.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { WebhookController } from './webhook.controller.js';
import { WebhookService } from './webhook.service.js';

/** Subscriptions, by way of Stripe. */
@Module({
  controllers: [SubscriptionController, WebhookController],
  providers: [
    { provide: STRIPE, inject: [Environment], useFactory: stripeClient },
    StripeCustomersService,
    StripeAttempts,
    StripeEventsRepository,
    BillingCustomersRepository,
    DriftRepository,
    PricesService,
    CheckoutService,
    PortalService,
    SubscriptionReader,
    SubscriptionsService,
    SignedEvents,
    WebhookService,
    AlignmentService,
    ReconciliationService,
  ],
  exports: [BillingCustomersRepository, AlignmentService],
})
export class BillingModule {
  constructor(cron: CronTasks, reconciliation: ReconciliationService) {
    cron.prune({ table: 'stripe_events', keptDays: 0 });
    cron.prune({ table: 'stripe_attempts', keptDays: 0 });
    cron.reconcileWith((options) => reconciliation.reconcile(options));
  }
}
