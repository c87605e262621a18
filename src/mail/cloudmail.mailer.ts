import { EmailClient, type EmailMessage, type EmailSendOptionalParams } from '@azure/communication-email';
import type { Environment } from '../config/environment.js';
import { headersOf, Mailer, MailRefused, type OutgoingMail, ProviderUnavailable } from './mailer.js';
import { answerOf, type Culprit, culpritOf, refusal } from './provider-answer.js';

type Response = Parameters<NonNullable<EmailSendOptionalParams['onResponse']>>[0];

/** Sends mail through Azure Communication Services, where a mail of the same id is the same mail. */
export class CloudmailMailer extends Mailer {
  readonly provider = 'cloudmail';

  private readonly client: EmailClient;

  constructor(private readonly environment: Environment) {
    super();
    const { cloudmailConnectionString = '' } = environment;
    this.client = new EmailClient(cloudmailConnectionString, {
      // The client would wait between attempts for as long as Azure wants it to; the caller knows better when to retry.
      retryOptions: { maxRetries: 0 },
      redirectOptions: { maxRetries: 0 },
      allowInsecureConnection: /^endpoint=http:/i.test(cloudmailConnectionString),
    });
  }

  async send(mail: OutgoingMail): Promise<void> {
    const { id, to, subject, text, html } = mail;
    const { cloudmailSenderAddress = '', emailTimeoutSeconds } = this.environment;
    const message = {
      senderAddress: cloudmailSenderAddress,
      recipients: { to: [{ address: to }] },
      headers: headersOf(mail, cloudmailSenderAddress),
      content: { subject, plainText: text, html },
      disableUserEngagementTracking: true,
    };

    await answerOf(this.provider, emailTimeoutSeconds, (signal) => this.sendOnce(id, message, signal));
  }

  /**
   * Asks a second time at once when an answer is lost on the way, under the same operation id: Azure sends the mail once.
   * Left to a later attempt, it would hold up all mails, or arrive through the second provider as well.
   */
  private async sendOnce(id: string, message: EmailMessage, abortSignal: AbortSignal): Promise<void> {
    const ask = () =>
      this.client.beginSend(message, {
        operationId: id,
        abortSignal,
        onResponse: (response) => this.accept(response),
      });
    try {
      await ask();
    } catch (error) {
      const isAnswer = error instanceof MailRefused || error instanceof ProviderUnavailable;
      if (isAnswer || abortSignal.aborted) throw error;
      await ask();
    }
  }

  /** Takes 202 for the end of it: without this header the client does not ask at once what became of the mail. */
  private accept(response: Response): void {
    if (response.status !== 202) throw this.refusalIn(response);
    response.headers.delete('operation-location');
  }

  private refusalIn({ status, headers, parsedBody }: Response): Error {
    const code = parsedBody?.error?.code ?? headers.get('x-ms-error-code');
    return refusal(this.provider, {
      status,
      culprit: culpritFor(status, code),
      codes: [code],
      retryAfter: headers.get('retry-after'),
    });
  }
}

/** A sender that Azure does not know is a 400, like a recipient that is not valid. */
function culpritFor(status: number, code: unknown): Culprit {
  return code === 'InvalidSenderUserName' ? 'configuration' : culpritOf(status);
}
