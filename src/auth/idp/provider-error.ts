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

// Anybody can write an `error` into the address of the callback, so only a code of the lists is passed on to the log.

/** A provider's refusal of an authorization request. */
export function refusedAuthorization(error: string): Error {
  return new Error(`the identity provider refused the login: ${known(error, AUTHORIZATION_ERRORS)}`);
}

/** A provider's refusal of a code, or of the client that presents it: a wrong client secret is `invalid_client`. */
export function refusedExchange(status: number, error: unknown): Error {
  const reason = known(error, EXCHANGE_ERRORS);
  return new Error(`the identity provider refused to exchange the code: status ${status}, ${reason}`);
}

function known(error: unknown, codes: string[]): string {
  return codes.find((code) => code === error) ?? 'no error of the specification';
}
