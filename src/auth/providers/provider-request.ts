import { requestBounded } from '../../outbound/bounded-request.js';

/** No provider needs longer, and no user waits longer for a login. */
const TIME_LIMIT_MS = 5_000;

/** GitHub refuses a request without an agent. */
const HEADERS = { accept: 'application/json', 'user-agent': 'Latchkey' };

/** What providers call a login that the user gave up: in RFC 6749 §4.1.2.1, and at LinkedIn and Apple. */
const CANCELLED = ['access_denied', 'user_cancelled_login', 'user_cancelled_authorize'];

/** What a provider answers an authorization request with (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
const AUTHORIZATION_ERRORS = [
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_request',
  'invalid_request_object',
  'invalid_request_uri',
  'invalid_scope',
  'login_required',
  'registration_not_supported',
  'request_not_supported',
  'request_uri_not_supported',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_response_type',
];

/** What it answers the exchange of a code with (RFC 6749 §5.2). */
const EXCHANGE_ERRORS = [
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
];

/** The text of a provider's user info. Rejects when it is not a 2xx, redirects, is too large or takes too long. */
export async function requestUserInfo(url: string, accessToken: string): Promise<string> {
  const { isOk, status, text } = await requestBounded(url, TIME_LIMIT_MS, {
    headers: { ...HEADERS, authorization: `Bearer ${accessToken}` },
  });
  if (!isOk) throw new Error(`the identity provider answered the request for the user info with ${status}`);
  return text;
}

/**
 * The text of a provider's answer with an access token. Rejects as the request for the user info does, and when there
 * is no token in it: some providers refuse with a 200.
 */
export async function exchangeCode(url: string, request: RequestInit): Promise<string> {
  const { isOk, status, text } = await requestBounded(url, TIME_LIMIT_MS, request);
  const { access_token, error } = fieldsOf(text);
  if (!isOk || !access_token) throw refusedExchange(status, error);
  return text;
}

/** A token request as it is, except that the secret of the client goes into a header (RFC 6749 §2.3.1). */
export function withSecretInHeader(
  { method, headers, body }: { method: string; headers: Record<string, string>; body: string },
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): RequestInit {
  const fields = new URLSearchParams(body);
  fields.delete('client_id');
  fields.delete('client_secret');
  const credentials = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64');
  return { method, headers: { ...headers, authorization: `Basic ${credentials}` }, body: fields.toString() };
}

function formEncoded(value: string): string {
  return new URLSearchParams({ value }).toString().slice('value='.length);
}

/** The fields of a token answer: JSON (RFC 6749 §5.1), or a form, as some older providers send it. */
function fieldsOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return Object.fromEntries(new URLSearchParams(text));
  }
}

export function isCancelled(error: unknown): boolean {
  return CANCELLED.some((dialect) => dialect === error);
}

/** A provider's refusal of an authorization request. */
export function refusedAuthorization(error: string): Error {
  return new Error(`the identity provider refused the login: ${known(error, AUTHORIZATION_ERRORS)}`);
}

/** A provider's refusal of a code, or of the client that presents it: a wrong client secret is `invalid_client`. */
function refusedExchange(status: number, error: unknown): Error {
  const reason = known(error, EXCHANGE_ERRORS);
  return new Error(`the identity provider refused to exchange the code: status ${status}, ${reason}`);
}

/** A stranger can write any `error` into the address of the callback: only a code of the lists goes into the log. */
function known(error: unknown, codes: string[]): string {
  return codes.find((code) => code === error) ?? 'no error of the specification';
}
