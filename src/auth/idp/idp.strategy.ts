import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyReply } from 'fastify';
import OAuth2Strategy from 'passport-oauth2';
import { Environment } from '../../config/environment.js';
import { LoginFailure } from './login-failure.js';
import { type Flow, LoginStates, type RedeemedFlow } from './login-states.js';
import { type Profile, parseProfile } from './profile.js';
import { exchangeCode, requestUserInfo } from './provider-request.js';

/** What Passport is given in place of a request: it sees nothing of it but what the guards choose. */
export interface PassportRequest {
  query: { code?: string };
  reply: FastifyReply;
  /** The flow to finish; there is none where one begins. */
  redeemed?: RedeemedFlow | undefined;
}

type Answered = (error: unknown, text?: string) => void;
type Loaded = (error: unknown, profile?: Profile) => void;
type Stored = (error: unknown, state?: string) => void;
type Verified = (error: unknown, verifier?: string, flow?: Flow) => void;

/** Never asked: without a client id the routes are closed. */
const NO_CLIENT = 'none';

/**
 * The authorization code flow with PKCE (RFC 6749 §4.1, RFC 7636), through Passport. The service does not keep the
 * provider's tokens.
 */
@Injectable()
export class IdpStrategy extends PassportStrategy(OAuth2Strategy, 'idp') {
  constructor(
    private readonly environment: Environment,
    states: LoginStates,
  ) {
    super({
      authorizationURL: environment.idpAuthorizationUrl,
      tokenURL: environment.idpTokenUrl,
      clientID: environment.idpClientId ?? NO_CLIENT,
      clientSecret: environment.idpClientSecret ?? '',
      callbackURL: `${environment.baseApiUrl}/auth/oauth/idp/callback`,
      scope: environment.idpScope,
      pkce: true,
      store: storeOf(states) as unknown as OAuth2Strategy.StateStore,
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

/** The states in the form of a store of Passport's, which knows the kind of a store by the number of its parameters. */
function storeOf(states: LoginStates) {
  return {
    store: ({ reply }: PassportRequest, verifier: string, flow: Flow, _meta: unknown, done: Stored): void => {
      states.begin(flow, verifier, reply).then(
        (state) => done(null, state),
        (error) => done(error),
      );
    },
    /** The guard of the callback has redeemed the state by then. */
    verify: ({ redeemed }: PassportRequest, _state: string, _meta: unknown, done: Verified): void => {
      if (redeemed) done(null, redeemed.verifier, redeemed.flow);
      else done(new LoginFailure('invalid_state'));
    },
  };
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
