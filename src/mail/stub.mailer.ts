import { type Mail, Mailer } from './mailer.js';

const LINE = '─'.repeat(72);

/** Writes mail to the console log instead of sending it. */
export class StubMailer extends Mailer {
  async send({ to, subject, text }: Mail): Promise<void> {
    console.log(`${LINE}\nTo: ${to}\nSubject: ${subject}\n\n${text}\n${LINE}`);
  }
}
