import { Injectable } from '@nestjs/common';
import type { Transaction } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { MailComposer } from '../mail/mail-composer.js';
import { OutboxRepository } from '../mail/outbox.repository.js';
import type { BillingCustomer } from './billing-customer.entity.js';
import { BillingCustomersRepository, type Reading } from './billing-customers.repository.js';

const ONE_DAY = 86_400_000;

/** Mails those who can pay that a payment is missing: once for the invoice that had to be paid first. */
@Injectable()
export class Dunning {
  constructor(
    private readonly customers: BillingCustomersRepository,
    private readonly composer: MailComposer,
    private readonly outbox: OutboxRepository,
    private readonly environment: Environment,
  ) {}

  /**
   * Mails what a reading shows for the first time. The customer is locked, so of two replicas one mails. Where nobody can
   * pay, such as in an organization without an active admin, a later reading mails.
   */
  async mail(before: BillingCustomer, { overdueInvoiceId, state }: Reading, tx: Transaction): Promise<void> {
    const since = state?.pastDueSince ?? null;
    if (this.environment.stripeDunningMail === 'off' || since === null) return;
    if (overdueInvoiceId === undefined || overdueInvoiceId === before.dunnedInvoiceId) return;
    const { id, orgId, userId } = before;
    const payers = await this.customers.findThoseWhoPay(id, tx);
    if (payers.length === 0) return;

    const until = new Date(since.getTime() + this.environment.stripePastDueGraceDays * ONE_DAY);
    for (const payer of payers) {
      const missing = { orgId, orgName: payer.orgName, since, until };
      await this.outbox.post(this.composer.for(payer).paymentFailed(payer.email, missing), tx);
    }
    await this.customers.noteDunned(id, overdueInvoiceId, tx);
    const details = {
      invoice_id: overdueInvoiceId,
      past_due_since: since.toISOString(),
      mails: payers.length,
    };
    await tx.record('dunning.mailed', { orgId, userId, details });
  }
}
