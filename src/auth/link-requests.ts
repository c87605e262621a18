import { Injectable } from '@nestjs/common';
import type { Transaction } from '../audit/transactions.js';
import type { Actor } from '../http/caller.js';
import { Limits } from '../rate-limits/limits.js';
import type { RequestedPurpose } from './link-request.entity.js';
import { LinkRequestsRepository } from './link-requests.repository.js';

/**
 * Links asked for with nothing but an address. A request is only written down, whatever the address, so that neither
 * its answer nor its time tells whether there is an account; that is looked up afterwards.
 */
@Injectable()
export class LinkRequests {
  constructor(
    private readonly limits: Limits,
    private readonly requests: LinkRequestsRepository,
  ) {}

  /**
   * Asks for a link to set a new password. Within a minute it is not mailed again: the link already mailed is good, and
   * the answer is alike.
   */
  async request(email: string, { ip, userAgent }: Actor): Promise<void> {
    const purpose = 'reset-password';
    await this.limits.onceAMinute(`${purpose} ${email}`, async () => {
      await this.limits.take('mailPerAddress', email);
      await this.requests.insert({ purpose, email, signupId: null, ip, userAgent });
    });
  }

  /** Asks for the link of a signup. The caller counts it against the limit. */
  async requestFor(
    { id: signupId, email }: { id: string; email: string },
    purpose: Exclude<RequestedPurpose, 'reset-password'>,
    tx: Transaction,
  ): Promise<void> {
    const { ip, userAgent } = tx.by;
    await this.requests.insert({ purpose, email, signupId, ip, userAgent }, tx);
  }
}
