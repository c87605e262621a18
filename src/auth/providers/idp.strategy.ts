import passport from 'passport';
import OAuth2Strategy from 'passport-oauth2';
import type { Endpoints } from './discovery.js';
import { assertLoginSince, loginTimeIn } from './id-token.js';
import { LoginFailure } from './login-failure.js';
import { type Profile, requestProfile } from './profile.js';
import { exchangeCode, withSecretInHeader } from './provider-request.js';
import type { Provider } from './providers.js';

/** What the exchange of a code and the request for the user info brought. */
interface Found {
  profile: Profile;
  idToken: unknown;
}

/** Who logged in at a provider. */
export interface LoginThere {
  profile: Profile;
  /** When they proved there who they are; null where that is now, or the provider does not say. */
  provenAt: Date | null;
}

/** What a token answer may have beside the tokens. */
interface IdTokenAnswer {
  id_token?: unknown;
}

type Done<T> = (error: unknown, result?: T) => void;

/**
 * Where a provider asks the user. `begin` is given the PKCE verifier, and makes the state. With `asksAgain` the provider
 * does not let its own session answer for the user (OpenID Connect Core §3.1.2.1). Passport would redirect, but
 * the SPA fetches the address and goes there by itself: the stand-in for the response takes the redirect, and nothing
 * is sent.
 */
export function authorizationUrl(
  provider: Provider,
  endpoints: Endpoints,
  { asksAgain }: { asksAgain: boolean },
  begin: (verifier: string) => Promise<string>,
): Promise<string> {
  const store = (_: unknown, verifier: string, _state: unknown, _meta: unknown, done: Done<string>) =>
    settle(begin(verifier), done);
  const strategy = new IdpStrategy(provider, endpoints, { store }, paramsFor(provider, asksAgain));
  return new Promise((resolve, reject) => {
    const response = {
      setHeader: (name: string, value: string) => name === 'Location' && resolve(value),
      end: () => {},
    };
    // An empty query: a `code` or `error` in it would make Passport take this for a callback.
    passport.authenticate(strategy, { session: false }, reject)({ query: {} }, response, reject);
  });
}

/**
 * Who logged in at a provider, in exchange for the code that it gave out for a PKCE verifier. Where a fresh login was
 * asked for, `since` is the instant at which it was, in seconds.
 */
export async function loginFor(
  code: string,
  { verifier, since }: { verifier: string; since: number | null },
  provider: Provider,
  endpoints: Endpoints,
): Promise<LoginThere> {
  const { profile, idToken } = await requestWho(code, verifier, provider, endpoints);
  if (since === null) return { profile, provenAt: loginTimeIn(idToken, profile, provider) };
  assertLoginSince(since, idToken, profile, provider);
  return { profile, provenAt: null };
}

/**
 * A provider of OpenID Connect is asked to say in its ID token when the user logged in there (Core §5.5.1.1), but not
 * where it is to ask them again: if it ignores that, as Google does, it would say so and be refused.
 */
function paramsFor({ scope }: Provider, asksAgain: boolean): object {
  if (asksAgain) return { max_age: 0 };
  if (!scope.split(' ').includes('openid')) return {};
  return { claims: JSON.stringify({ id_token: { auth_time: { essential: true } } }) };
}

function requestWho(
  code: string,
  verifier: string,
  provider: Provider,
  endpoints: Endpoints,
): Promise<Found> {
  const verify = (_: unknown, _state: unknown, _meta: unknown, done: Done<string>) => done(null, verifier);
  const strategy = new IdpStrategy(provider, endpoints, { verify });
  return new Promise((resolve, reject) => {
    const done = (error: (Error & { oauthError?: unknown }) | null, found?: Found | false) => {
      // Passport wraps what the exchange of the code throws, and says less.
      if (error) reject(error.oauthError ?? error);
      else if (found) resolve(found);
      else reject(new LoginFailure('provider_error'));
    };
    passport.authenticate(strategy, { session: false }, done)({ query: { code } }, {}, reject);
  });
}

/**
 * The authorization code flow with PKCE (RFC 6749 §4.1, RFC 7636) at one provider, through Passport. Each request has a
 * strategy of its own, as Passport writes onto it what becomes of the request. The service does not keep the provider's
 * tokens.
 */
class IdpStrategy extends OAuth2Strategy {
  constructor(
    private readonly provider: Provider,
    private readonly endpoints: Endpoints,
    store: Partial<Record<keyof OAuth2Strategy.StateStore, unknown>>,
    private readonly furtherParams: object = {},
  ) {
    super(
      {
        authorizationURL: endpoints.authorizationUrl,
        tokenURL: endpoints.tokenUrl,
        clientID: provider.clientId,
        clientSecret: provider.clientSecret,
        callbackURL: provider.redirectUri,
        scope: provider.scope,
        pkce: true,
        // Passport knows the kind of a store by the number of its functions' parameters.
        store: store as OAuth2Strategy.StateStore,
      },
      // What Passport passes on: the profile and who it is of, not the tokens that open something.
      (_access: string, _refresh: string, { id_token }: IdTokenAnswer, profile: Profile, done: Done<Found>) =>
        done(null, { profile, idToken: id_token }),
    );
    // Where Passport's client exchanges the code; its own request has no limit of time or size.
    Object.assign(this._oauth2, { _request: exchangeAt(provider, endpoints) });
  }

  override authorizationParams(): object {
    return this.furtherParams;
  }

  /** Asks the provider who logged in. */
  override userProfile(accessToken: string, done: Done<Profile>): void {
    settle(requestProfile(this.provider, this.endpoints, accessToken), done);
  }
}

/** Presents the secret of the client in the way that the provider takes it. */
function exchangeAt(provider: Provider, { tokenAuthMethod }: Endpoints) {
  return (
    method: string,
    url: string,
    headers: Record<string, string>,
    body: string,
    _: unknown,
    done: Done<string>,
  ) => {
    const request = { method, headers, body };
    const isInHeader = tokenAuthMethod === 'client_secret_basic';
    settle(exchangeCode(url, isInHeader ? withSecretInHeader(request, provider) : request), done);
  };
}

function settle<T>(work: Promise<T>, done: Done<T>): void {
  work.then(
    (result) => done(null, result),
    (error) => done(error),
  );
}
