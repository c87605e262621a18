import { randomUUID } from 'node:crypto';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { chooseMailer } from '../../src/mail/choose-mailer.js';
import { DevMailbox } from '../../src/mail/dev-mailbox.js';
import type { Mailer, OutgoingMail } from '../../src/mail/mailer.js';

/** A mail on its way out, with nothing in it that occurs elsewhere. */
export function outgoingMail(): OutgoingMail {
  return {
    id: randomUUID(),
    kind: 'password-reset',
    to: 'ada@example.org',
    language: 'en',
    subject: 'Set a new password <ada@example.net>',
    text: 'Open this link:\n\nhttps://app.example.com/reset-password?token=a-token-of-the-mail\n\n{{name}} & co.',
    html: '<p><a href="https://app.example.com/reset-password?token=a-token-of-the-mail">Set it</a></p>',
  };
}

/** The Mailer of a service with these variables. */
export function mailerWith(variables: Record<string, string>): Promise<Mailer> {
  return chooseMailer(parseEnvironment({ SVC_ENVIRONMENT: 'dev', ...variables }), new DevMailbox());
}

/** What sending a mail fails with. */
export async function failureOf(mailer: Mailer, mail = outgoingMail()): Promise<unknown> {
  return mailer.send(mail).then(
    () => {
      throw new Error('the mail was sent');
    },
    (error) => error,
  );
}
