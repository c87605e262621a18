import { Logger } from '@nestjs/common';
import { Mailer, type OutgoingMail, ProviderUnavailable } from './mailer.js';

/** How long the first provider is left alone when it does not say for how long. */
const PAUSE_SECONDS = 30;

/** A time in which the first provider is not asked. */
interface Outage {
  cause: ProviderUnavailable;
  until: number;
}

/**
 * Sends through the first provider, and through the second while the first is unavailable. What the first refuses is
 * refused: the second is for outages, not for other opinions.
 *
 * Mail still goes out, so that an outage could go unnoticed. Each failed attempt at the first is therefore logged, as
 * an error if it refused the key, which the readiness shows too.
 */
export class FallbackMailer extends Mailer {
  readonly provider: string;
  override readonly atOnce: number;

  private readonly logger = new Logger(FallbackMailer.name);
  private outage: Outage | null = null;

  constructor(
    private readonly first: Mailer,
    private readonly second: Mailer,
  ) {
    super();
    this.provider = first.provider;
    this.atOnce = Math.min(first.atOnce, second.atOnce);
  }

  override get isKeyRefused(): boolean {
    return this.outage?.cause.details.isRefused === true;
  }

  async send(mail: OutgoingMail): Promise<void> {
    const outage = this.currentOutage() ?? (await this.tryFirst(mail));
    if (outage) await this.trySecond(mail, outage);
  }

  private currentOutage(): Outage | null {
    return this.outage && this.outage.until > performance.now() ? this.outage : null;
  }

  /** Returns what kept the first provider from taking the mail over, or null when it did. */
  private async tryFirst(mail: OutgoingMail): Promise<Outage | null> {
    try {
      await this.first.send(mail);
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      return this.beginOutage(error);
    }
    this.endOutage();
    return null;
  }

  private async trySecond(mail: OutgoingMail, { cause, until }: Outage): Promise<void> {
    try {
      await this.second.send(mail);
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      const secondsLeft = Math.max(Math.ceil((until - performance.now()) / 1000), 0);
      throw new ProviderUnavailable(`${cause.message}; ${error.message}`, {
        retryAfterSeconds: Math.min(secondsLeft, error.details.retryAfterSeconds ?? secondsLeft),
        isRefused: cause.details.isRefused ?? false,
      });
    }
  }

  private beginOutage(cause: ProviderUnavailable): Outage {
    const { isRefused, retryAfterSeconds = PAUSE_SECONDS } = cause.details;
    // Of the mails under way when it begins, only the first to fail is logged.
    if (!this.currentOutage()) {
      const level = isRefused ? 'error' : 'warn';
      this.logger[level](
        { event: 'mail.provider_changed', provider: this.second.provider, reason: cause.message },
        'The first mail provider takes no mail, so the second one sends it for now.',
      );
    }
    this.outage = { cause, until: performance.now() + retryAfterSeconds * 1000 };
    return this.outage;
  }

  private endOutage(): void {
    if (this.outage)
      this.logger.log(
        { event: 'mail.provider_changed', provider: this.first.provider },
        'The first mail provider sends mail again.',
      );
    this.outage = null;
  }
}
