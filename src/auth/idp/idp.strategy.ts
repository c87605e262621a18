import passport from 'passport';
import OAuth2Strategy from 'passport-oauth2';
import type { Endpoints } from './discovery.js';
import { LoginFailure } from './login-failure.js';
import { type Profile, requestProfile } from './profile.js';
import { exchangeCode } from './provider-request.js';
import type { Provider } from './providers.js';

type Done<T> = (error: unknown, result?: T) => void;

/**
 * Where a provider asks the user. `begin` is given the PKCE verifier, and makes the state. Passport would redirect, but
 * the SPA fetches the address and goes there by itself: the stand-in for the response takes the redirect, and nothing
 * is sent.
 */
export function authorizationUrl(
  provider: Provider,
  endpoints: Endpoints,
  begin: (verifier: string) => Promise<string>,
): Promise<string> {
  const store = (_: unknown, verifier: string, _state: unknown, _meta: unknown, done: Done<string>) =>
    settle(begin(verifier), done);
  const strategy = new IdpStrategy(provider, endpoints, { store });
  return new Promise((resolve, reject) => {
    const response = {
      setHeader: (name: string, value: string) => name === 'Location' && resolve(value),
      end: () => {},
    };
    // An empty query: a `code` or `error` in it would make Passport take this for a callback.
    passport.authenticate(strategy, { session: false }, reject)({ query: {} }, response, reject);
  });
}

/** Who logged in at a provider, in exchange for the code that it gave out for a PKCE verifier. */
export function profileFor(
  code: string,
  verifier: string,
  provider: Provider,
  endpoints: Endpoints,
): Promise<Profile> {
  const verify = (_: unknown, _state: unknown, _meta: unknown, done: Done<string>) => done(null, verifier);
  const strategy = new IdpStrategy(provider, endpoints, { verify });
  return new Promise((resolve, reject) => {
    const done = (error: (Error & { oauthError?: unknown }) | null, profile?: Profile | false) => {
      // Passport wraps what the exchange of the code throws, and says less.
      if (error) reject(error.oauthError ?? error);
      else if (profile) resolve(profile);
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
      // What Passport passes on: the profile, not the tokens.
      (_accessToken: string, _refreshToken: string, profile: Profile, done: Done<Profile>) =>
        done(null, profile),
    );
    // Where Passport's client exchanges the code; its own request has no limit of time or size.
    Object.assign(this._oauth2, { _request: exchange });
  }

  /** Asks the provider who logged in. */
  override userProfile(accessToken: string, done: Done<Profile>): void {
    settle(requestProfile(this.provider, this.endpoints, accessToken), done);
  }
}

function exchange(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: string,
  _: unknown,
  done: Done<string>,
) {
  settle(exchangeCode(url, { method, headers, body }), done);
}

function settle<T>(work: Promise<T>, done: Done<T>): void {
  work.then(
    (result) => done(null, result),
    (error) => done(error),
  );
}
