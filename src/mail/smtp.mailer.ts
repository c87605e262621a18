import { domainToASCII } from 'node:url';
import { createTransport } from 'nodemailer';
import type { Environment } from '../config/environment.js';
import { Mailer, type OutgoingMail } from './mailer.js';
import { answerOf } from './provider-answer.js';
import { smtpFailure } from './smtp-answer.js';

const PORTS = { starttls: 587, implicit: 465, off: 25 };

/** Marks a mail that no person wrote, so that no autoresponder answers it (RFC 3834 §5). */
const HEADERS = { 'Auto-Submitted': 'auto-generated' };

/**
 * Sends mail through an SMTP server, with a connection for each. A mail whose answer was lost arrives twice, with one
 * Message-ID: some mailboxes drop the second.
 */
export class SmtpMailer extends Mailer {
  readonly provider = 'smtp';

  /** Exchange Online takes no more connections of one mailbox at the same time. */
  override readonly atOnce = 3;

  private readonly transport: SmtpTransport;

  constructor(private readonly environment: Environment) {
    super();
    this.transport = smtpTransport(environment);
  }

  async send({ id, to, subject, text, html }: OutgoingMail): Promise<void> {
    const { smtpSenderAddress = '', smtpSenderName = '', emailTimeoutSeconds } = this.environment;
    const mail = {
      from: { address: smtpSenderAddress, name: smtpSenderName },
      to: { address: to, name: '' },
      messageId: `<${id}@${domainOf(smtpSenderAddress)}>`,
      headers: HEADERS,
      subject,
      text,
      html,
    };

    await answerOf(this.provider, emailTimeoutSeconds, (signal) =>
      this.transport.sendMail({ ...mail, signal }).catch((error) => {
        throw smtpFailure(error);
      }),
    );
  }
}

type SmtpTransport = ReturnType<typeof smtpTransport>;

/** The client of the SMTP server that the settings name. */
export function smtpTransport(environment: Environment) {
  const { smtpHost = '', smtpPort, smtpUser, smtpPassword, baseApiUrl } = environment;
  const tls = environment.smtpTls ?? (smtpPort === PORTS.implicit ? 'implicit' : 'starttls');
  const timeoutMs = environment.emailTimeoutSeconds * 1000;
  const hasLogin = smtpUser !== undefined;
  return createTransport({
    host: smtpHost,
    port: smtpPort ?? PORTS[tls],
    name: new URL(baseApiUrl).hostname,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'off',
    // Also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
    tls: { rejectUnauthorized: true },
    ...(hasLogin && { auth: { user: smtpUser, pass: smtpPassword } }),
    // Without this the client sends without a login where the server offers none, as an attacker's may.
    forceAuth: hasLogin,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function domainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1));
}
