import { Body, Controller, Get, Post, Query, UseInterceptors } from '@nestjs/common';
import { type Actor, By, type CallerUser, CurrentUser } from '../http/caller.js';
import {
  AlreadySubscribed,
  BillingModeMismatch,
  CurrencyMismatch,
  InsufficientRole,
  NoSubscription,
  PaymentProviderError,
  PaymentProviderRefusal,
  UnknownPrice,
} from '../http/errors.js';
import { Answers, Limited, OpenWhen, Operation, Problems } from '../http/route.js';
import { list, text } from '../validation/schema.js';
import { ListPrices, StartCheckout } from './billing.dto.js';
import { BillingCustomersRepository, payerOf } from './billing-customers.repository.js';
import { CheckoutService } from './checkout.service.js';
import { OfferSchema, offerView } from './offer.view.js';
import { PortalService } from './portal.service.js';
import { PricesService } from './prices.service.js';
import { isBillingOn } from './stripe-client.js';
import { StripeErrorsInterceptor } from './stripe-errors.js';
import { SubscriptionSchema, subscriptionView } from './subscription.view.js';

@Controller('subscription')
@UseInterceptors(StripeErrorsInterceptor)
export class SubscriptionController {
  constructor(
    private readonly checkouts: CheckoutService,
    private readonly prices: PricesService,
    private readonly portal: PortalService,
    private readonly customers: BillingCustomersRepository,
  ) {}

  @Post('checkout')
  @OpenWhen(isBillingOn)
  @Limited('checkoutPerUser')
  @Operation('checkout', 'Where to pay: a page of Stripe, for a price.')
  @Answers(201, { id: text, url: text })
  @Problems([
    UnknownPrice,
    AlreadySubscribed,
    CurrencyMismatch,
    BillingModeMismatch,
    PaymentProviderRefusal,
    PaymentProviderError,
  ])
  checkout(@CurrentUser() caller: CallerUser, @Body() { price_id }: StartCheckout, @By() by: Actor) {
    return this.checkouts.start(caller, price_id, by);
  }

  @Get('prices')
  @OpenWhen(isBillingOn)
  @Limited('pricePerUser')
  @Operation(
    'listPrices',
    'What is on sale, and what the organization, or for none the caller, would pay: for the prices of the settings, or for one.',
  )
  @Answers(200, { data: list(OfferSchema) })
  @Problems([UnknownPrice, PaymentProviderRefusal, PaymentProviderError])
  async listPrices(@CurrentUser() caller: CallerUser, @Query() { price_id }: ListPrices) {
    return { data: (await this.prices.offers(caller, price_id)).map(offerView) };
  }

  @Post('portal')
  @OpenWhen(isBillingOn)
  @Limited('checkoutPerUser')
  @Operation(
    'openPortal',
    'Where to change or cancel the subscription: a page of Stripe, of an organization for its admins.',
  )
  @Answers(201, { url: text })
  @Problems([
    InsufficientRole,
    NoSubscription,
    BillingModeMismatch,
    PaymentProviderRefusal,
    PaymentProviderError,
  ])
  async openPortal(@CurrentUser() caller: CallerUser, @By() by: Actor) {
    return { url: await this.portal.open(caller, by) };
  }

  @Get()
  @OpenWhen(isBillingOn)
  @Operation('getSubscription', 'The subscription of the organization, or for none of the caller.')
  @Answers(200, { subscription: SubscriptionSchema })
  async get(@CurrentUser() caller: CallerUser) {
    return { subscription: subscriptionView(await this.customers.find(payerOf(caller))) };
  }
}
