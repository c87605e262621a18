import { createHash, createHmac, randomBytes } from 'node:crypto';
import { isUUID } from 'class-validator';
import { type Answer, HttpMailStandIn, type Received, type Verdict } from './http-mail-stand-in.js';
import { type DeliveredMail, inLowerCase } from './mail-stand-in.js';
import { readDescription } from './schemas/read-description.js';

const KEY = randomBytes(64);

/** How far the clock of a client may be off. */
const CLOCK_SKEW_MS = 5 * 60 * 1000;

const faultsOf = readDescription('cloudmail-send.schema.json');

/** What the service sends of what the description allows. */
interface Payload {
  senderAddress: string;
  headers: Record<string, string>;
  recipients: { to: [{ address: string }] };
  content: { subject: string; plainText: string; html: string };
}

/**
 * Azure Communication Services on loopback, for a service that is started with its `variables`, as MailapiStandIn.
 * A mail sent again with the same operation id is the same mail.
 */
export class CloudmailStandIn extends HttpMailStandIn {
  protected readonly route = 'POST /emails:send?api-version=2025-09-01';

  /** Those of the requests that were signed, whatever became of them. */
  readonly operationIds: string[] = [];

  static start(): Promise<CloudmailStandIn> {
    return new CloudmailStandIn().listen();
  }

  get variables(): Record<string, string> {
    return {
      SVC_EMAIL_PROVIDER: 'cloudmail',
      SVC_CLOUDMAIL_CONNECTION_STRING: `endpoint=${this.address};accesskey=${KEY.toString('base64')}`,
      SVC_CLOUDMAIL_SENDER_ADDRESS: 'DoNotReply@example.com',
    };
  }

  protected judge(received: Received): Verdict {
    if (!isSigned(received)) return refusal(401, 'Denied');

    const payload = JSON.parse(received.body);
    const id = String(received.headers['operation-id']);
    this.operationIds.push(id);
    const faults = [...faultsOf(payload), ...(isUUID(id) ? [] : [`Operation-Id is ${id}`])];
    this.faults.push(...faults);
    return faults.length > 0
      ? refusal(400, 'BadRequest')
      : { answer: this.running(id), mail: read(id, payload) };
  }

  protected override deliver(mail: DeliveredMail): void {
    if (!this.delivered.some(({ id }) => id === mail.id)) super.deliver(mail);
  }

  private running(id: string): Answer {
    return {
      status: 202,
      headers: { 'operation-location': `${this.address}/emails/operations/${id}`, 'retry-after': '30' },
      body: { id, status: 'Running' },
    };
  }
}

/** Whether a request was signed with the key, not long ago, and for this body. */
function isSigned({ method, url, headers, body }: Received): boolean {
  const { host, authorization, 'x-ms-date': date = '', 'x-ms-content-sha256': hash } = headers;
  const signature = createHmac('sha256', KEY)
    .update(`${method}\n${url}\n${date};${host};${hash}`)
    .digest('base64');
  return (
    authorization === `HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=${signature}` &&
    hash === createHash('sha256').update(body).digest('base64') &&
    Math.abs(Date.parse(String(date)) - Date.now()) < CLOCK_SKEW_MS
  );
}

function refusal(status: number, code: string): Verdict {
  return {
    answer: { status, headers: { 'x-ms-error-code': code }, body: { error: { code, message: code } } },
  };
}

function read(id: string, payload: Payload): DeliveredMail {
  const { senderAddress, headers, recipients, content } = payload;
  const { subject, plainText, html } = content;
  return {
    id,
    from: senderAddress,
    to: recipients.to[0].address,
    subject,
    text: plainText,
    html,
    headers: inLowerCase(headers),
    payload,
  };
}
