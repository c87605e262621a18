import type { DevMailbox } from './dev-mailbox.js';
import { Mailer, type OutgoingMail } from './mailer.js';

const LINE = '─'.repeat(72);

/** Writes mail to the console log instead of sending it, and keeps it for the developers' mailbox. */
export class StubMailer extends Mailer {
  readonly provider = 'stub';

  constructor(private readonly mailbox: DevMailbox) {
    super();
  }

  async send(mail: OutgoingMail): Promise<void> {
    const { to, subject, text } = mail;
    console.log(`${LINE}\nTo: ${to}\nSubject: ${subject}\n\n${text}\n${LINE}`);
    this.mailbox.keep(mail);
  }
}
