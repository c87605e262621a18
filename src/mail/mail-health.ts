import { Injectable } from '@nestjs/common';
import { Health } from '../observability/health.js';
import { MailOutagesRepository } from './mail-outages.repository.js';
import { Mailer } from './mailer.js';

/**
 * Expects the mail provider to accept the key it is given. One that is down comes back by itself, one without a key
 * does not.
 */
@Injectable()
export class MailHealth {
  constructor(outages: MailOutagesRepository, mailer: Mailer, health: Health) {
    health.expect('mail', async () => !mailer.isKeyRefused && !(await outages.isKeyRefused(mailer.provider)));
  }
}
