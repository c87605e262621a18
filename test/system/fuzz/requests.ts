import fc from 'fast-check';
import type { Operation } from '../../support/document.js';
import { signatureOf } from '../../support/stripe/webhooks.js';
import { headers } from './headers.js';
import { payloads } from './payloads.js';
import { HAS_APP, pendingLoginOf, SENDERS, sessionOf, tokenOf } from './people.js';
import { SECRETS } from './secrets.js';
import { pathParameters, queries } from './urls.js';

/** A request as a caller sends it to an operation. */
export interface FuzzRequest {
  sender: string;
  method: Operation['method'];
  /** The path as the document has it, and its parameters as they stand in it. */
  route: string;
  parameters: Record<string, string>;
  query: string;
  headers: Record<string, string>;
  payload: string | Buffer | undefined;
}

/** How senders show who they are: people by their sessions or pending logins, machines by their secrets. */
const CREDENTIALS: Record<string, Record<string, string>> = {
  anonymous: {},
  scheduler: { authorization: `Bearer ${SECRETS.SVC_CRON_SECRET}` },
  scraper: { authorization: `Bearer ${SECRETS.SVC_METRICS_TOKEN}` },
  stripe: {},
  'half-logged-in': { cookie: `session_id_pending=${tokenOf(pendingLoginOf(HAS_APP))}` },
  ...Object.fromEntries(
    Object.keys(SENDERS).map((name) => [name, { cookie: `session_id=${tokenOf(sessionOf(name))}` }]),
  ),
};

export const CALLERS = Object.keys(CREDENTIALS);

/** A request of a caller to an operation: as it should be, nearly so, or not at all. */
export function requestTo(operation: Operation, sender: string): fc.Arbitrary<FuzzRequest> {
  return fc.record({
    sender: fc.constant(sender),
    method: fc.constant(operation.method),
    route: fc.constant(operation.path),
    parameters: pathParameters(operation),
    query: queries(operation),
    headers: headers(CREDENTIALS[sender] ?? {}),
    payload: operation.method === 'GET' ? fc.constant(undefined) : payloads(operation),
  });
}

/** The arguments of `inject` for a request. Stripe signs what it sends. */
export function injected({ sender, method, route, parameters, query, headers, payload }: FuzzRequest) {
  const signature = { 'stripe-signature': signatureOf(payload ?? '') };
  return {
    method,
    url: route.replace(/\{(\w+)\}/g, (_, name) => parameters[name] ?? '') + query,
    headers: sender === 'stripe' ? { ...headers, ...signature } : headers,
    ...(payload !== undefined && { payload }),
  };
}
