import { domainToASCII } from 'node:url';
import { Unavailable } from '../queues/unavailable.js';

/** A message to one address, written twice: as HTML, and as a text of its own. */
export interface Mail {
  /** What it is about, such as `password-reset`. */
  kind: string;
  to: string;
  /** The tag of the language that it is written in. */
  language: string;
  subject: string;
  text: string;
  html: string;
  /** When the link in it stops working; from then on the mail is not worth sending. */
  expiresAt?: Date;
}

/** A mail on its way out. The id is the same at every attempt, so that a provider can tell a repetition. */
export interface OutgoingMail extends Omit<Mail, 'expiresAt'> {
  id: string;
}

/**
 * The headers that a mail has whichever provider sends it. No person wrote it, so no autoresponder answers it (RFC 3834
 * §5). Its Message-ID is the same at every attempt and at each provider, so a mailbox can drop a repetition.
 */
export function headersOf({ id, language }: OutgoingMail, sender: string) {
  const domain = domainToASCII(sender.slice(sender.lastIndexOf('@') + 1));
  return {
    'Auto-Submitted': 'auto-generated',
    'Content-Language': language,
    'Message-ID': `<${id}@${domain}>`,
  };
}

/** Hands mail over to a provider. */
export abstract class Mailer {
  /** The provider's name, as `SVC_EMAIL_PROVIDER` has it. */
  abstract readonly provider: string;

  /** How many mails one process hands over at the same time. */
  readonly atOnce: number = 10;

  /** Whether a provider refuses its key while another one delivers the mail in its place. */
  get isKeyRefused(): boolean {
    return false;
  }

  /**
   * Resolves once the provider has taken the mail over. Throws MailRefused or ProviderUnavailable; gives up on a
   * provider that does not answer in time.
   */
  abstract send(mail: OutgoingMail): Promise<void>;
}

/** The provider will not take this mail, however often it is asked: the address is not valid, or is suppressed. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
}

/** The provider takes no mail at present. Every mail may try again. */
export class ProviderUnavailable extends Unavailable {
  override readonly name = 'ProviderUnavailable';
}
