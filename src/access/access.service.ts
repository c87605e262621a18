import { Injectable } from '@nestjs/common';
import { BillingCustomersRepository } from '../billing/billing-customers.repository.js';
import type { Caller } from '../http/caller.js';
import type { Described } from '../validation/schema.js';
import { type AccessSchema, accessView } from './access.view.js';
import { Permissions } from './permissions.js';
import { rightsOf } from './rights.js';

/** What a user may do in the organization of a request, and what it pays for. */
@Injectable()
export class AccessService {
  constructor(
    private readonly permissions: Permissions,
    private readonly customers: BillingCustomersRepository,
  ) {}

  async of(caller: Caller): Promise<Described<typeof AccessSchema>> {
    return accessView(
      caller,
      this.permissions.heldBy(rightsOf(caller)),
      await this.customers.isAdmitted(caller),
    );
  }
}
