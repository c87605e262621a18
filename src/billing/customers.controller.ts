import { Controller, Get, Post, Query, UseInterceptors } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { Compressed } from '../http/compression.js';
import {
  BillingModeMismatch,
  NotFound,
  PaymentProviderError,
  PaymentProviderRefusal,
} from '../http/errors.js';
import { IdParam } from '../http/id-param.js';
import { pageFields } from '../http/page.js';
import { Role } from '../http/role.js';
import { Answers, Limited, MinRole, OpenWhen, Operation, Personal, Problems } from '../http/route.js';
import { flag } from '../validation/schema.js';
import { ListCustomers } from './billing.dto.js';
import { CustomerSchema, customerView, StripeModeSchema } from './customer.view.js';
import { CustomersService } from './customers.service.js';
import { isBillingOn, stripeMode } from './stripe-client.js';
import { StripeErrorsInterceptor } from './stripe-errors.js';

@Personal()
@Controller('subscription/customers')
@MinRole(Role.SYSTEM_ADMIN)
@UseInterceptors(StripeErrorsInterceptor)
export class CustomersController {
  constructor(
    private readonly customers: CustomersService,
    private readonly environment: Environment,
  ) {}

  @Get()
  @Compressed()
  @OpenWhen(isBillingOn)
  @Operation(
    'listCustomers',
    'The customers at Stripe, and their subscriptions as last read, newest first; and in which mode Stripe is used.',
  )
  @Answers(200, { ...pageFields(CustomerSchema), mode: StripeModeSchema })
  async list(@Query() query: ListCustomers) {
    const { data, nextCursor } = await this.customers.list(query);
    return { data: data.map(customerView), next_cursor: nextCursor, mode: stripeMode(this.environment) };
  }

  @Post(':id/reconcile')
  @OpenWhen(isBillingOn)
  @Limited('changePerUser')
  @Operation('reconcileCustomer', 'Reads a customer from Stripe now, and corrects seats and address there.')
  @Answers(200, { customer: CustomerSchema, corrected: flag })
  @Problems([NotFound, BillingModeMismatch, PaymentProviderRefusal, PaymentProviderError])
  async reconcile(@IdParam('id') id: string) {
    const { customer, isCorrected } = await this.customers.reconcile(id);
    return { customer: customerView(customer), corrected: isCorrected };
  }
}
