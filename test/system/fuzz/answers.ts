import { AiStandIn } from '../../support/ai-stand-in.js';
import { expectProblem } from '../../support/answers.js';
import { StripeStandIn } from '../../support/stripe/stand-in.js';
import { addressOf, CREDENTIALS, INVITED, STRANGERS, THEIR_NAME, THEIRS } from './people.js';
import { type FuzzRequest, injected } from './requests.js';
import { OTHER_CLIENT_SECRET, SECRETS } from './secrets.js';

/** An answer as `inject` gives it. */
interface Answer {
  statusCode: number;
  headers: Record<string, unknown>;
  payload: string;
}

/** Names of what the service is made of, and what these say when they fail. */
const INNARDS =
  /node_modules|\.[jt]s:\d|\bat \S+ \(|nestjs|fastify|typeorm|class-valid|QueryFailed|duplicate key|violates|syntax error|ECONN/i;

/** What no person may read, in an answer or in the log. */
const SECRET = [
  ...CREDENTIALS,
  ...Object.values(SECRETS),
  OTHER_CLIENT_SECRET,
  StripeStandIn.signingSecret,
  AiStandIn.key,
];

/** What only the other organization and a SYSTEM_ADMIN may read. */
const THEIR_SECRETS = [
  THEIR_NAME,
  ...Object.keys(STRANGERS).map(addressOf),
  ...Object.keys(INVITED)
    .filter((name) => INVITED[name] === THEIRS)
    .map(addressOf),
];

/** Throws when no caller should get an answer like this one, whatever the request. */
export function expectDecent(request: FuzzRequest, answer: Answer): void {
  const { statusCode, headers, payload } = answer;
  if (statusCode >= 500) throw new Error(`It answered ${statusCode}: ${payload}`);
  if (statusCode >= 400) expectProblem(answer, statusCode, JSON.parse(payload).code);

  const answered = `${JSON.stringify(headers)}\n${payload}`;
  expectNone(SECRET, answered);
  if (request.route !== '/metrics' && INNARDS.test(answered))
    throw new Error(`It reveals its code: ${answered}`);
  if (request.sender !== 'system-admin') expectNone(unknownTo(request, THEIR_SECRETS), answered);
}

/** Throws when a line of the log reveals a secret, or reports an unexpected error. */
export function expectQuiet(line: string): void {
  expectNone(SECRET, line);
  if (['error', 'fatal'].includes(JSON.parse(line).level)) throw new Error(`It logged ${line}`);
}

function expectNone(secrets: string[], answered: string): void {
  const secret = secrets.find((text) => answered.includes(text));
  if (secret !== undefined) throw new Error(`It reveals ${secret}: ${answered}`);
}

/** The secrets that are not in a request themselves. */
function unknownTo(request: FuzzRequest, secrets: string[]): string[] {
  const { url, payload = '' } = injected(request);
  const sent = `${url}\n${payload}`;
  return secrets.filter((secret) => !sent.includes(secret) && !sent.includes(encodeURIComponent(secret)));
}
