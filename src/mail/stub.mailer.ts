import { Mailer, type OutgoingMail } from './mailer.js';

const LINE = '─'.repeat(72);

/** Writes mail to the console log instead of sending it. */
export class StubMailer extends Mailer {
  readonly provider = 'stub';

  async send({ to, subject, text }: OutgoingMail): Promise<void> {
    console.log(`${LINE}\nTo: ${to}\nSubject: ${subject}\n\n${text}\n${LINE}`);
  }
}
