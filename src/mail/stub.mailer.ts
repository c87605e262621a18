import { Logger } from '@nestjs/common';
import type { Environment } from '../config/environment.js';
import type { DevMailbox } from './dev-mailbox.js';
import { Mailer, type OutgoingMail } from './mailer.js';

const LINE = '─'.repeat(72);

/**
 * Writes mail to the console instead of sending it, as a line of the log outside `dev`, and keeps it for the
 * developers' mailbox.
 */
export class StubMailer extends Mailer {
  readonly provider = 'stub';
  private readonly logger = new Logger(StubMailer.name);

  constructor(
    private readonly environment: Environment,
    private readonly mailbox: DevMailbox,
  ) {
    super();
  }

  async send(mail: OutgoingMail): Promise<void> {
    const { to, subject, text } = mail;
    const { environment, logLevel } = this.environment;
    if (environment !== 'dev')
      this.logger.log({ event: 'mail.stubbed', to, subject, text }, 'The stub took a mail and sent nothing.');
    else if (logLevel !== 'silent')
      console.log(`${LINE}\nTo: ${to}\nSubject: ${subject}\n\n${text}\n${LINE}`);
    this.mailbox.keep(mail);
  }
}
