import { createTransport, type NodemailerError } from 'nodemailer';
import type { Environment } from '../config/environment.js';
import { headersOf, Mailer, MailRefused, type OutgoingMail } from './mailer.js';
import { answerOf } from './provider-answer.js';
import { smtpFailure } from './smtp-answer.js';

const PORTS = { starttls: 587, implicit: 465, off: 25 };

/** A server says so of itself when it takes addresses beyond ASCII before the `@` (RFC 6531 §3.1). */
const ANNOUNCES_SMTPUTF8 = /^250[ -]SMTPUTF8\b/im;

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

  async send(outgoing: OutgoingMail): Promise<void> {
    const { to, subject, text, html } = outgoing;
    const { smtpSenderAddress = '', smtpSenderName = '', emailTimeoutSeconds } = this.environment;
    const { 'Message-ID': messageId, ...headers } = headersOf(outgoing, smtpSenderAddress);
    const mail = {
      from: { address: smtpSenderAddress, name: smtpSenderName },
      to: { address: to, name: '' },
      messageId,
      headers,
      subject,
      text,
      html,
    };

    await answerOf(this.provider, emailTimeoutSeconds, async (signal) => {
      try {
        await this.refuseUnlessReachable(to);
        await this.transport.sendMail({ ...mail, signal });
      } catch (error) {
        throw error instanceof MailRefused ? error : smtpFailure(error as NodemailerError);
      }
    });
  }

  /**
   * Throws MailRefused for an address beyond ASCII at a server that does not take any. nodemailer would send it all the
   * same, and each server makes something else of the bytes.
   */
  private async refuseUnlessReachable(to: string): Promise<void> {
    if (isAscii(to.slice(0, to.lastIndexOf('@')))) return;
    const heard: unknown[] = [];
    const debug = (_entry: object, line: unknown) => heard.push(line);
    await smtpTransport(this.environment, { transactionLog: true, logger: { debug } }).verify();
    if (!heard.some((line) => ANNOUNCES_SMTPUTF8.test(String(line))))
      throw new MailRefused('smtp has no SMTPUTF8 for the address');
  }
}

type SmtpTransport = ReturnType<typeof smtpTransport>;

/** Who hears what the server says, if anyone does. */
interface Logging {
  transactionLog?: true;
  logger?: { debug: (entry: object, line: unknown) => void };
}

/** The client of the SMTP server that the settings name. */
export function smtpTransport(environment: Environment, logging: Logging = {}) {
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
    ...logging,
  });
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
