import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../audit/audit.js';
import { Limits } from '../limits/limits.js';
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

  /** Within a minute the same link is not mailed again: the one already mailed is good, and the answer is alike. */
  async request(email: string, purpose: RequestedPurpose, by: Actor): Promise<void> {
    await this.limits.onceAMinute(`${purpose} ${email}`, async () => {
      await this.limits.take('mailPerAddress', email);
      await this.note(email, purpose, by);
    });
  }

  /** Writes a request down, without counting it against a limit. */
  async note(
    email: string,
    purpose: RequestedPurpose,
    { ip, userAgent }: Actor,
    manager?: EntityManager,
  ): Promise<void> {
    await this.requests.insert({ purpose, email, ip, userAgent }, manager);
  }
}
