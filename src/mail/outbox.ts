import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../audit/transactions.js';
import { MailSeal } from './mail-seal.js';
import type { Mail } from './mailer.js';
import { OutboxRepository } from './outbox.repository.js';

/**
 * Where every mail is posted: written down in the transaction of the change it reports, so that there is neither a
 * change without its mail nor a mail without its change. A worker sends it once the transaction is committed.
 */
@Injectable()
export class Outbox {
  constructor(
    private readonly mails: OutboxRepository,
    private readonly seal: MailSeal,
  ) {}

  async post({ kind, to, subject, text, html, expiresAt }: Mail, tx: Transaction): Promise<void> {
    const content = this.seal.close({ text, html });
    await this.mails.insert({ id: uuidv7(), kind, to, subject, content, expiresAt: expiresAt ?? null }, tx);
  }
}
