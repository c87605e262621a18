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
  constructor({ queue }: OutboxRepository, mailer: Mailer, health: Health) {
    health.expect(
      'mail',
      async () => !mailer.isKeyRefused && (await queue.outages.refusing([mailer.provider])).length === 0,
    );
  }
}
