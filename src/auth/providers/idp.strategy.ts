import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import OAuth2Strategy from 'passport-oauth2';
import { requestBounded } from '../../outbound/bounded-request.js';
import { challengeOf, type IdpLogin, LoginFailure, type RedeemedFlow } from './login-flows.js';
import { assertLoginSince, assertSaid, loginTimeIn, type Profile, requestProfile } from './profile.js';
import { type Endpoints, type Provider, REQUEST_TIME_LIMIT_MS } from './providers.js';

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

/** A login that came back from its provider with a code. */
export interface ReturnedLogin extends RedeemedFlow {
  provider: Provider;
  endpoints: Endpoints;
}

/** What is said to a provider besides who asks: what binds the flow, whether it is to ask its user again, and in which language. */
interface Authorization {
  state: string;
  verifier: string;
  asksAgain: boolean;
  uiLocales: string | null;
}

/** A provider's answer with an access token. */
interface TokenAnswer {
  access_token: string;
  id_token?: unknown;
}

type Done<T> = (error: unknown, result?: T) => void;
type TokenCallback = (error: unknown, access?: string, refresh?: undefined, answer?: TokenAnswer) => void;
type Verify = (profile: Profile, idToken: unknown) => IdpLogin | false;

/**
 * Where a provider asks the user. With `asksAgain` the provider does not let its own session answer for the user (OpenID
 * Connect Core §3.1.2.1). Passport would redirect, but the SPA fetches the address and goes there by itself.
 */
export function authorizationUrl(
  provider: Provider,
  endpoints: Endpoints,
  authorization: Authorization,
): Promise<string> {
  return new Promise((redirect, error) => {
    // Nobody has logged in yet.
    const strategy = new ProviderStrategy(provider, endpoints, () => false);
    Object.assign(strategy, { redirect, error }).authenticate({ query: {} } as never, authorization);
  });
}

/**
 * Throws where a provider did not answer with a code: where the answer comes from another one (RFC 9207 §2.4), where ours
 * refused, and where it is no answer of either kind.
 */
export function assertCode(
  { code, error, iss }: Record<string, unknown>,
  { issuer }: Provider,
  { namesIssuer }: Endpoints,
): void {
  const isOurs = iss === undefined ? !namesIssuer : iss === issuer;
  if (!isOurs) throw new LoginFailure('invalid_state');
  if (CANCELLED.some((dialect) => dialect === error)) throw new LoginFailure('access_denied');
  if (typeof error === 'string' && error !== '')
    throw new Error(`the identity provider refused the login: ${known(error, AUTHORIZATION_ERRORS)}`);
  if (typeof code !== 'string' || code === '') throw new LoginFailure('invalid_state');
}

/**
 * Finds out who logged in at a provider. Passport has one strategy of a name for all providers, and for all services in
 * the process: so this one keeps nothing, and hands each request to a strategy for the provider in its options.
 */
@Injectable()
export class IdpStrategy extends PassportStrategy(passport.Strategy, 'idp') {
  override authenticate(request: { query: object }, login: ReturnedLogin): void {
    const { provider, endpoints, verifier } = login;
    const strategy = new ProviderStrategy(provider, endpoints, (profile, idToken) =>
      this.validate(profile, idToken, login),
    );
    const { success, fail } = this;
    // Passport wraps what the exchange of the code throws, and says less.
    const error = (error: Error & { oauthError?: unknown }) => this.error(error.oauthError ?? error);
    Object.assign(strategy, { success, fail, error }).authenticate(request as never, { verifier });
  }

  /**
   * Throws when the provider was to ask its user again, and says that it did not. Throws also when a provider that always
   * says when its user logged in does not: a person at the browser may have taken the question out of the address.
   */
  override validate(
    profile: Profile,
    idToken: unknown,
    { provider, flow, begunAt }: ReturnedLogin,
  ): IdpLogin {
    const { asksAgain } = flow;
    const loggedInAt = loginTimeIn(idToken, profile, provider);
    if (provider.saysAuthTime) assertSaid(loggedInAt);
    if (asksAgain) assertLoginSince(begunAt, idToken, profile, provider);
    const provenAt = asksAgain && !provider.saysAuthTime ? null : loggedInAt;
    return { kind: 'login', provider, flow, profile, provenAt };
  }
}

/**
 * The authorization code flow with PKCE (RFC 6749 §4.1, RFC 7636) at one provider, for one request. The service does not
 * keep the provider's tokens.
 */
class ProviderStrategy extends OAuth2Strategy {
  constructor(
    private readonly provider: Provider,
    private readonly endpoints: Endpoints,
    verify: Verify,
  ) {
    super(
      {
        authorizationURL: endpoints.authorizationUrl,
        tokenURL: endpoints.tokenUrl,
        clientID: provider.clientId,
        clientSecret: provider.clientSecret,
        callbackURL: provider.redirectUri,
        scope: provider.scope,
      },
      // Passport passes on who logged in, not the tokens that open something.
      (
        _access: string,
        _refresh: string,
        { id_token }: TokenAnswer,
        profile: Profile,
        done: Done<IdpLogin | false>,
      ) => done(null, verify(profile, id_token)),
    );
    // Passport leaves its client to subclasses. Its exchange limits neither time nor size, and an agent could not mend
    // it: where a connection ends amid an answer, it never calls back, and the secret always stands in the body.
    Object.assign(this._oauth2, {
      getOAuthAccessToken: (code: string, params: Record<string, string>, done: TokenCallback) =>
        exchangeCode({ ...params, code }, provider, endpoints).then(
          (answer) => done(null, answer.access_token, undefined, answer),
          (error) => done(error),
        ),
    });
  }

  /**
   * A provider of OpenID Connect is asked to say in its ID token when the user logged in there (Core §5.5.1.1), but not
   * where it is to ask them again: if it ignores that, as Google does, it would say so and be refused. One that is to
   * say so says it with `max_age` anyway.
   */
  override authorizationParams({ verifier, asksAgain, uiLocales }: Authorization): object {
    const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
    const isOpenId = this.provider.scope.split(' ').includes('openid');
    const always = { ...pkce, ...(isOpenId && uiLocales !== null && { ui_locales: uiLocales }) };
    const { askingPrompt: prompt } = this.provider;
    if (asksAgain) return { ...always, max_age: 0, ...(prompt !== null && { prompt }) };
    if (!isOpenId) return always;
    return { ...always, claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }) };
  }

  override tokenParams({ verifier }: { verifier: string }): object {
    return { code_verifier: verifier };
  }

  /** Asks the provider who logged in. */
  override userProfile(accessToken: string, done: Done<Profile>): void {
    requestProfile(this.provider, this.endpoints, accessToken).then(
      (profile) => done(null, profile),
      (error) => done(error),
    );
  }
}

/**
 * A provider's answer to a code. Presents the secret of the client in the way that the provider takes it (RFC 6749
 * §2.3.1). Rejects when the answer is not a 2xx, redirects, is too large or takes too long, and when there is no token in
 * it: some providers refuse with a 200.
 */
async function exchangeCode(
  params: Record<string, string>,
  { clientId, clientSecret }: Provider,
  { tokenUrl, tokenAuthMethod }: Endpoints,
): Promise<TokenAnswer> {
  const isInHeader = tokenAuthMethod === 'client_secret_basic';
  const secret = isInHeader ? {} : { client_id: clientId, client_secret: clientSecret };
  const credentials = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64');
  const { isOk, status, text } = await requestBounded(tokenUrl, REQUEST_TIME_LIMIT_MS, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(isInHeader && { authorization: `Basic ${credentials}` }),
    },
    body: new URLSearchParams({ ...params, ...secret }).toString(),
  });
  const answer = fieldsOf(text);
  if (!isOk || !answer.access_token) throw refusedExchange(status, answer.error);
  return answer as unknown as TokenAnswer;
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

/** A provider's refusal of a code, or of the client that presents it: a wrong client secret is `invalid_client`. */
function refusedExchange(status: number, error: unknown): Error {
  const reason = known(error, EXCHANGE_ERRORS);
  return new Error(`the identity provider refused to exchange the code: status ${status}, ${reason}`);
}

/** A stranger can write any `error` into the address of the callback: only a code of the lists goes into the log. */
function known(error: unknown, codes: string[]): string {
  return codes.find((code) => code === error) ?? 'no error of the specification';
}
