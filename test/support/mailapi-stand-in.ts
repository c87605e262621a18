import { type Answer, HttpMailStandIn, type Received, type Verdict } from './http-mail-stand-in.js';
import { type DeliveredMail, inLowerCase } from './mail-stand-in.js';
import { readDescription } from './schemas/read-description.js';

const API_KEY = `SG.${'a'.repeat(22)}.${'b'.repeat(43)}`;

const faultsOf = readDescription('mailapi-send.schema.json');

/** What the service sends of what the description allows. */
interface Payload {
  from: { email: string };
  personalizations: [{ to: [{ email: string }]; custom_args: { latchkey_mail_id: string } }];
  headers: Record<string, string>;
  subject: string;
  content: [{ value: string }, { value: string }];
}

/**
 * SendGrid on loopback, for a service that is started with its `variables`:
 *
 *     const mailapi = await MailapiStandIn.start();
 *     const app = await TestApp.start(mailapi.variables);
 *     mailapi.answer({ status: 503, headers: { 'retry-after': '5' } });
 *     mailapi.answer('accept');
 *     expect(mailapi.delivered).toMatchObject([{ to: 'ada@example.com' }]);
 *     await mailapi.close();
 */
export class MailapiStandIn extends HttpMailStandIn {
  protected readonly route = 'POST /v3/mail/send';

  static start(): Promise<MailapiStandIn> {
    return new MailapiStandIn().listen();
  }

  get variables(): Record<string, string> {
    return {
      SVC_EMAIL_PROVIDER: 'mailapi',
      SVC_MAILAPI_API_KEY: API_KEY,
      SVC_MAILAPI_SENDER_ADDRESS: 'no-reply@example.com',
      SVC_MAILAPI_SENDER_NAME: 'Latchkey',
      SVC_MAILAPI_BASE_URL: this.address,
    };
  }

  /** What the key may do. */
  scopes = ['mail.send', 'sender_verification_eligible'];

  protected override answerToOther({ method, url, headers }: Received): Answer | null {
    if (method !== 'GET' || url !== '/v3/scopes') return null;
    return isTheKey(headers.authorization)
      ? { status: 200, body: { scopes: this.scopes } }
      : unknownKey().answer;
  }

  protected judge({ headers, body }: Received): Verdict {
    if (!isTheKey(headers.authorization)) return unknownKey();

    const payload = JSON.parse(body);
    const faults = faultsOf(payload);
    this.faults.push(...faults);
    return faults.length > 0
      ? refusal(400, 'Bad Request', 'personalizations')
      : { answer: { status: 202 }, mail: read(payload) };
  }
}

function isTheKey(authorization: string | undefined): boolean {
  return authorization === `Bearer ${API_KEY}`;
}

function unknownKey(): Verdict {
  return refusal(401, 'The provided authorization grant is invalid, expired, or revoked', null);
}

function refusal(status: number, message: string, field: string | null): Verdict {
  return { answer: { status, body: { errors: [{ message, field, help: null }] } } };
}

function read(payload: Payload): DeliveredMail {
  const { from, personalizations, headers, subject, content } = payload;
  const [{ to, custom_args }] = personalizations;
  return {
    id: custom_args.latchkey_mail_id,
    from: from.email,
    to: to[0].email,
    subject,
    text: content[0].value,
    html: content[1].value,
    headers: inLowerCase(headers),
    payload,
  };
}
