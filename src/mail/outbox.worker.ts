import { Injectable, Logger } from '@nestjs/common';
import type { Job } from '../jobs/job-loop.js';
import { MailOutagesRepository } from './mail-outages.repository.js';
import { Mailer, MailRefused, ProviderUnavailable } from './mailer.js';
import { type ClaimedMail, Outbox } from './outbox.js';

/** About a day of trying: see Outbox.postpone. */
const MAX_ATTEMPTS = 75;

/**
 * Sends what was posted, oldest first, each mail by one worker. It is sent at least once: a worker that dies
 * between the provider's answer and writing it down leaves a mail that is sent again when its lease ends.
 */
@Injectable()
export class OutboxWorker implements Job {
  readonly name = 'outbox';
  private readonly logger = new Logger(OutboxWorker.name);

  constructor(
    private readonly outbox: Outbox,
    private readonly outages: MailOutagesRepository,
    private readonly mailer: Mailer,
  ) {}

  async work(signal: AbortSignal): Promise<number | null> {
    const { provider, atOnce } = this.mailer;
    while (!signal.aborted) {
      const mails = await this.outbox.claim(provider, atOnce);
      if (mails.length === 0) return this.outbox.untilDueMs(provider);
      await Promise.all(mails.map((mail) => this.deliver(mail)));
    }
    return null;
  }

  private async deliver(mail: ClaimedMail): Promise<void> {
    if (mail.isExpired) return this.outbox.finish(mail, 'expired');
    const { id, kind, to, subject, content } = mail;
    if (!content) return this.giveUp(mail, 'encrypted with another SVC_JWT_SECRET_KEY');

    try {
      await this.mailer.send({ id, kind, to, subject, ...content });
    } catch (error) {
      return this.postpone(mail, error);
    }
    await this.outbox.finish(mail, 'sent');
    if (mail.isProbe) await this.endOutage();
  }

  /** All mails that waited for the provider may be tried at once. */
  private async endOutage(): Promise<void> {
    await this.outages.end(this.mailer.provider);
    await this.outbox.retryPostponed();
  }

  /** A mail that the provider will never take, or did not for a day, becomes a dead letter. */
  private async postpone(mail: ClaimedMail, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof ProviderUnavailable) await this.outages.extend(this.mailer.provider, error);
    if (error instanceof MailRefused || mail.attempts >= MAX_ATTEMPTS) return this.giveUp(mail, reason);

    this.logger.warn(
      { event: 'mail.postponed', mail: mail.id, kind: mail.kind, attempts: mail.attempts, reason },
      'The worker could not hand over a mail and tries again later.',
    );
    await this.outbox.postpone(mail, reason);
  }

  private async giveUp(mail: ClaimedMail, reason: string): Promise<void> {
    this.logger.error(
      { event: 'mail.given_up', mail: mail.id, kind: mail.kind, attempts: mail.attempts, reason },
      'The worker gave up a mail, which is now a dead letter.',
    );
    await this.outbox.finish(mail, 'dead', reason);
  }
}
