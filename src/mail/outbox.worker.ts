import { Injectable, Logger } from '@nestjs/common';
import type { Job } from '../jobs/job-loop.js';
import { MailOutagesRepository } from './mail-outages.repository.js';
import { MailSeal } from './mail-seal.js';
import { Mailer, MailRefused, type OutgoingMail, ProviderUnavailable } from './mailer.js';
import { type ClaimedMail, OutboxRepository } from './outbox.repository.js';

/** Mails sent at the same time by one process. */
const BATCH = 10;

/** About a day of trying: see OutboxRepository.postpone. */
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
    private readonly mails: OutboxRepository,
    private readonly outages: MailOutagesRepository,
    private readonly mailer: Mailer,
    private readonly seal: MailSeal,
  ) {}

  async work(signal: AbortSignal): Promise<number | null> {
    const { provider } = this.mailer;
    while (!signal.aborted) {
      const mails = await this.mails.claim(provider, BATCH);
      if (mails.length === 0) return this.mails.untilDueMs(provider);
      await Promise.all(mails.map((mail) => this.deliver(mail)));
    }
    return null;
  }

  private async deliver(mail: ClaimedMail): Promise<void> {
    if (mail.isExpired) return this.mails.finish(mail, 'expired');
    const outgoing = this.unseal(mail);
    if (!outgoing) return this.giveUp(mail, 'sealed with another SVC_JWT_SECRET_KEY');

    try {
      await this.mailer.send(outgoing);
    } catch (error) {
      return this.postpone(mail, error);
    }
    await this.mails.finish(mail, 'sent');
    if (mail.isProbe) await this.endOutage();
  }

  /** All that waited for the provider is due at once. */
  private async endOutage(): Promise<void> {
    await this.outages.end(this.mailer.provider);
    await this.mails.hasten();
  }

  private unseal({ id, kind, to, subject, content }: ClaimedMail): OutgoingMail | null {
    try {
      return { id, kind, to, subject, ...this.seal.open(content) };
    } catch {
      return null;
    }
  }

  /** A mail that the provider will never take, or did not for a day, becomes a dead letter. */
  private async postpone(mail: ClaimedMail, error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof ProviderUnavailable) await this.outages.extend(this.mailer.provider, error);
    if (error instanceof MailRefused || mail.attempts >= MAX_ATTEMPTS) return this.giveUp(mail, reason);

    this.logger.warn(`mail ${mail.id} (${mail.kind}) has to wait: ${reason}`);
    await this.mails.postpone(mail, reason);
  }

  private async giveUp(mail: ClaimedMail, reason: string): Promise<void> {
    this.logger.error(`mail ${mail.id} (${mail.kind}) is a dead letter: ${reason}`);
    await this.mails.finish(mail, 'dead', reason);
  }
}
