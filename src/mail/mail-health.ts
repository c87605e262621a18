import { Injectable } from '@nestjs/common';
import { Health } from '../observability/health.js';
import { Mailer } from './mailer.js';
import { OutboxRepository } from './outbox.repository.js';

/**
 * Expects the mail provider to accept the key it is given. One that is down comes back by itself, one without a key
 * does not.
 */
@Injectable()
export class MailHealth {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly mailer: Mailer,
    health: Health,
  ) {
    health.expect('mail', async () => !(await this.isKeyRefused()));
  }

  async isKeyRefused(): Promise<boolean> {
    const { isKeyRefused, provider } = this.mailer;
    return isKeyRefused || (await this.outbox.queue.outages.refusing([provider])).length > 0;
  }
}
