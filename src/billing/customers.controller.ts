import { Controller, Get, Post, Query, UseInterceptors } from '@nestjs/common';
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
import { Answers, Limited, MinRole, OpenWhen, Operation, Problems } from '../http/route.js';
import { flag } from '../validation/schema.js';
import { ListCustomers } from './billing.dto.js';
import { CustomerSchema, customerView } from './customer.view.js';
import { CustomersService } from './customers.service.js';
import { isBillingOn } from './stripe-client.js';
import { StripeErrorsInterceptor } from './stripe-errors.js';

@Controller('subscription/customers')
@MinRole(Role.SYSTEM_ADMIN)
@UseInterceptors(StripeErrorsInterceptor)
export class CustomersController {
  constructor(private readonly customers: CustomersService) {}

  @Get()
  @Compressed()
  @OpenWhen(isBillingOn)
  @Operation('listCustomers', 'The customers at Stripe, and their subscriptions as last read, newest first.')
  @Answers(200, pageFields(CustomerSchema))
  async list(@Query() query: ListCustomers) {
    const { data, nextCursor } = await this.customers.list(query);
    return { data: data.map(customerView), next_cursor: nextCursor };
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
