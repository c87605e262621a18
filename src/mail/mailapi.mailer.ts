import { Client } from '@sendgrid/client';
import { MailService } from '@sendgrid/mail';
import type { Environment } from '../config/environment.js';
import { headersOf, Mailer, type OutgoingMail } from './mailer.js';
import { answerOf, type Culprit, culpritOf, refusal } from './provider-answer.js';

/** Bytes of an answer; even a refusal has but a few hundred. */
const SIZE_LIMIT = 64 * 1024;

/** A mail arrives as it was written: SendGrid rewrites no links, and adds no pixel and no footer. */
const UNTOUCHED = {
  clickTracking: { enable: false, enableText: false },
  openTracking: { enable: false },
  subscriptionTracking: { enable: false },
  ganalytics: { enable: false },
};

/** SendGrid's word for an account that has used up what it paid for. It comes as a 401, as for a wrong key. */
const OUT_OF_CREDITS = 'Maximum credits exceeded';

/** One of the reasons that SendGrid gives for a refusal. */
type Reason = { message?: unknown; field?: unknown } | null;

/** Sends mail through SendGrid. A mail whose answer was lost arrives twice: SendGrid knows no repetitions. */
export class MailapiMailer extends Mailer {
  readonly provider = 'mailapi';

  constructor(private readonly environment: Environment) {
    super();
  }

  async send(mail: OutgoingMail): Promise<void> {
    const { id, kind, to, subject, text, html } = mail;
    const { mailapiSenderAddress = '', mailapiSenderName = '', emailTimeoutSeconds } = this.environment;

    const [{ statusCode, headers, body }] = await answerOf(this.provider, emailTimeoutSeconds, (signal) =>
      this.serviceUntil(signal).send({
        from: { email: mailapiSenderAddress, name: mailapiSenderName },
        personalizations: [{ to: { email: to }, customArgs: { latchkey_mail_id: id } }],
        headers: headersOf(mail, mailapiSenderAddress),
        category: kind,
        subject,
        text,
        html,
        trackingSettings: UNTOUCHED,
      }),
    );
    if (statusCode !== 202) throw this.refusalAt(statusCode, headers, body);
  }

  /** A service for one mail. It follows no redirect, which would take the key along, and throws at no status. */
  private serviceUntil(signal: AbortSignal): MailService {
    const { mailapiApiKey, mailapiBaseUrl } = this.environment;
    // What SendGrid's client does not know it passes on to axios.
    const defaults = {
      url: '',
      baseUrl: mailapiBaseUrl,
      signal,
      maxRedirects: 0,
      maxContentLength: SIZE_LIMIT,
      validateStatus: () => true,
    };
    const client = new Client();
    client.setDefaultHeader('Authorization', `Bearer ${mailapiApiKey}`).setDefaultRequest(defaults);

    const service = new MailService();
    service.setClient(client);
    return service;
  }

  private refusalAt(
    status: number,
    headers: Record<string, string | undefined>,
    body: { errors?: unknown } | null,
  ): Error {
    const reasons: Reason[] = Array.isArray(body?.errors) ? body.errors : [];
    return refusal(this.provider, {
      status,
      culprit: culpritFor(status, reasons),
      codes: reasons.map((reason) => (isOutOfCredits(reason) ? 'out-of-credits' : reason?.field)),
      retryAfter: headers['retry-after'] ?? (status === 429 ? limitReset(headers) : undefined),
    });
  }
}

function culpritFor(status: number, reasons: Reason[]): Culprit {
  if (reasons.some(isOutOfCredits)) return 'provider';
  const isSenderWrong = reasons.some((reason) => String(reason?.field).startsWith('from'));
  return isSenderWrong ? 'configuration' : culpritOf(status);
}

function isOutOfCredits(reason: Reason): boolean {
  return reason?.message === OUT_OF_CREDITS;
}

/** SendGrid says when a limit ends in a header of its own, as a Unix time. */
function limitReset(headers: Record<string, string | undefined>): string {
  return new Date(Number(headers['x-ratelimit-reset']) * 1000).toUTCString();
}
