import { Injectable } from '@nestjs/common';
import { Transactions } from '../audit/transactions.js';
import type { Actor, CallerUser } from '../http/caller.js';
import { ValidationFailed } from '../http/errors.js';
import { fieldError } from '../http/problem.js';
import type { Language } from '../words/language.js';
import { MailComposer } from './mail-composer.js';
import type { MailKind } from './mail-kinds.js';
import type { Mail } from './mailer.js';
import { OutboxRepository } from './outbox.repository.js';
import { SAMPLE_ADDRESS, sampleOf } from './samples.js';

/** A sample of a kind of mail, and how its text is read. */
export interface MailPreview {
  mail: Mail;
  direction: 'ltr' | 'rtl';
}

/** Mails as they would be, for an admin who wants to see their words. */
@Injectable()
export class MailPreviewsService {
  constructor(
    private readonly composer: MailComposer,
    private readonly outbox: OutboxRepository,
    private readonly transactions: Transactions,
  ) {}

  /** The tags of the languages that mails are written in, the default first. */
  get languages(): readonly string[] {
    return this.composer.languages.tags;
  }

  /** Throws ValidationFailed for a language that is not served. */
  preview(kind: MailKind, tag: string): MailPreview {
    const language = this.served(tag);
    const messages = this.composer.for({ locale: tag });
    return {
      mail: sampleOf(kind, SAMPLE_ADDRESS, messages, language),
      direction: language.direction,
    };
  }

  /** Posts a sample to the admin who asks for it, and to no other address. Throws ValidationFailed as `preview` does. */
  async test(kind: MailKind, tag: string, { email }: CallerUser, by: Actor): Promise<void> {
    const language = this.served(tag);
    const messages = this.composer.for({ locale: tag }, { isTest: true });
    const { expiresAt: _, ...mail } = sampleOf(kind, email, messages, language);
    await this.transactions.run(by, async (tx) => {
      // Under a kind of its own: whether the owner was warned lately is looked up by the kinds of warnings.
      await this.outbox.post({ ...mail, kind: 'test' }, tx);
      await tx.record('mail.tested', { details: { kind, language: language.tag } });
    });
  }

  private served(tag: string): Language {
    const { all, tags } = this.composer.languages;
    const language = all.find((each) => each.tag === tag);
    if (language === undefined)
      throw new ValidationFailed([fieldError('language', { code: 'unknown_locale', choices: tags })]);
    return language;
  }
}
