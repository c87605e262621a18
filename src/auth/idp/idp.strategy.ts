import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import OAuth2Strategy from 'passport-oauth2';
import { Environment } from '../../config/environment.js';
import { type Profile, parseProfile } from './profile.js';
import { exchangeCode, requestUserInfo } from './provider-request.js';
import { StateStore } from './state-store.js';

type Answered = (error: unknown, text?: string) => void;
type Loaded = (error: unknown, profile?: Profile) => void;

/** Never asked: without a client id the routes are closed. */
const NO_CLIENT = 'none';

/**
 * The authorization code flow with PKCE (RFC 6749 §4.1, RFC 7636), through Passport. The provider's tokens are not
 * kept.
 */
@Injectable()
export class IdpStrategy extends PassportStrategy(OAuth2Strategy, 'idp') {
  constructor(
    private readonly environment: Environment,
    store: StateStore,
  ) {
    super({
      authorizationURL: environment.idpAuthorizationUrl,
      tokenURL: environment.idpTokenUrl,
      clientID: environment.idpClientId ?? NO_CLIENT,
      clientSecret: environment.idpClientSecret ?? '',
      callbackURL: `${environment.baseApiUrl}/auth/oauth/idp/callback`,
      scope: environment.idpScope,
      pkce: true,
      store: store as unknown as OAuth2Strategy.StateStore,
    });
    // Where Passport's client exchanges the code; its own request has no limit of time or size.
    Object.assign(this._oauth2, { _request: exchange });
  }

  /** Asks the provider who logged in. */
  override userProfile(accessToken: string, done: Loaded): void {
    const { idpUserinfoUrl, idpVouchesEmails } = this.environment;
    requestUserInfo(idpUserinfoUrl, accessToken)
      .then((text) => parseProfile(text, idpVouchesEmails))
      .then(
        (profile) => done(null, profile),
        (error) => done(error),
      );
  }

  /** What Passport passes on: the profile, not the tokens. */
  validate(_accessToken: string, _refreshToken: string, profile: Profile): Profile {
    return profile;
  }
}

function exchange(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: string,
  _: unknown,
  done: Answered,
) {
  exchangeCode(url, { method, headers, body }).then(
    (text) => done(null, text),
    (error) => done(error),
  );
}
