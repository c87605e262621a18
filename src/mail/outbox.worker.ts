import { Injectable, Logger } from '@nestjs/common';
import type { Job } from '../queues/job-loop.js';
import { Pace } from '../queues/pace.js';
import { QueueWorker } from '../queues/queue-worker.js';
import { together } from '../queues/together.js';
import { Unavailable } from '../queues/unavailable.js';
import { Mailer, MailRefused } from './mailer.js';
import { type ClaimedMail, OUTBOX, OutboxRepository } from './outbox.repository.js';

/** Sends the mails that were posted. One that the provider will never take, or did not for three days, is a dead letter. */
@Injectable()
export class OutboxWorker implements Job {
  readonly name = OUTBOX.channel;
  private readonly logger = new Logger(OutboxWorker.name);
  private readonly worker: QueueWorker<ClaimedMail>;

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly mailer: Mailer,
    pace: Pace,
  ) {
    this.worker = new QueueWorker(outbox.queue, pace, {
      postponed: (mail, reason) =>
        this.logger.warn(
          { event: 'mail.postponed', ...fieldsOf(mail), reason },
          'The worker could not hand over a mail and tries again later.',
        ),
      givenUp: (mail, reason) =>
        this.logger.error(
          { event: 'mail.given_up', ...fieldsOf(mail), reason },
          'The worker gave up a mail, which is now a dead letter.',
        ),
    });
  }

  work(signal: AbortSignal): Promise<number | null> {
    const { provider, atOnce } = this.mailer;
    const deliver = (mails: ClaimedMail[]) => together(mails.map((mail) => this.deliver(mail)));
    return this.worker.work(provider, atOnce, deliver, signal);
  }

  private async deliver(mail: ClaimedMail): Promise<void> {
    if (mail.isExpired) return this.outbox.queue.finish(mail, 'expired');
    const content = this.outbox.contentOf(mail);
    if (!content) return this.worker.giveUp(mail, 'encrypted with another SVC_JWT_SECRET_KEY');

    const { id, kind, to, language, subject } = mail;
    await this.worker.attempt(
      mail,
      () => this.mailer.send({ id, kind, to, language, subject, ...content }),
      (error) => error instanceof MailRefused || (mail.isOld && mail.attempts >= leastAttempts(error)),
    );
  }
}

/**
 * Some hours of trying, which an old mail that an operator sends again has as well. While the provider is down, it is
 * tried every few minutes, and otherwise less and less often.
 */
function leastAttempts(error: unknown): number {
  return error instanceof Unavailable ? 64 : 16;
}

function fieldsOf({ id, kind, attempts }: ClaimedMail) {
  return { mail: id, kind, attempts };
}
