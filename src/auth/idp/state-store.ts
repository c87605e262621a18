import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { cookieValues } from '../../secrets/cookie-values.js';
import { isSameSecret } from '../../secrets/same-secret.js';
import { LoginFailure } from './login-failure.js';
import { challengeOf, type Flow, LoginStates, STATE_MAX_AGE_SECONDS } from './login-state.js';
import { UsedStatesRepository } from './used-states.repository.js';

/** A flow that came back to the browser it began in, and the PKCE verifier that waited there. */
export interface RedeemedFlow {
  flow: Flow;
  verifier: string;
}

/** What Passport is given in place of a request: it sees nothing of it but what the guards choose. */
export interface PassportRequest {
  query: { code?: string };
  reply: FastifyReply;
  /** The flow to finish; there is none where one begins. */
  redeemed?: RedeemedFlow | undefined;
}

type Stored = (error: unknown, state?: string) => void;
type Verified = (error: unknown, verifier?: string, flow?: Flow) => void;

/**
 * Keeps the flows of Passport's OAuth 2.0 strategy without a session: the state is signed, and the PKCE verifier
 * waits in a cookie of the browser that began the flow, one cookie a flow, so that two tabs do not disturb each other.
 */
@Injectable()
export class StateStore {
  constructor(
    private readonly states: LoginStates,
    private readonly environment: Environment,
    private readonly usedStates: UsedStatesRepository,
  ) {}

  // Passport tells the stores apart by the number of their parameters.
  store = (request: PassportRequest, verifier: string, flow: Flow, _meta: unknown, done: Stored): void => {
    this.begin(request, verifier, flow).then(
      (state) => done(null, state),
      (error) => done(error),
    );
  };

  /** The guard of the callback has redeemed the state by then. */
  verify = ({ redeemed }: PassportRequest, _state: string, _meta: unknown, done: Verified): void => {
    if (redeemed) done(null, redeemed.verifier, redeemed.flow);
    else done(new LoginFailure('invalid_state'));
  };

  /**
   * Takes a state once, and only from the browser that began the flow, which forgets its cookie. Throws LoginFailure.
   */
  async redeem(presented: unknown, { headers }: FastifyRequest, reply: FastifyReply): Promise<RedeemedFlow> {
    if (typeof presented !== 'string') throw new LoginFailure('invalid_state');
    const { id, challenge, ...flow } = this.states.verify(presented, await this.usedStates.now());
    const { name, attributes } = this.cookieFor(id);
    const [verifier = '', ...others] = cookieValues(headers.cookie, name);
    const isTheirs = others.length === 0 && isSameSecret(challengeOf(verifier), challenge);
    if (!isTheirs) throw new LoginFailure('invalid_state');

    reply.clearCookie(name, attributes);
    const isFirst = await this.usedStates.insert(id, STATE_MAX_AGE_SECONDS);
    if (!isFirst) throw new LoginFailure('invalid_state');
    return { verifier, flow };
  }

  private async begin({ reply }: PassportRequest, verifier: string, flow: Flow): Promise<string> {
    const { id, state } = this.states.sign(flow, verifier, await this.usedStates.now());
    const { name, attributes } = this.cookieFor(id);
    reply.setCookie(name, verifier, { ...attributes, maxAge: STATE_MAX_AGE_SECONDS });
    return state;
  }

  /**
   * Lax, not Strict: it must come along when the provider sends the browser back. Outside `dev` the prefix keeps a
   * neighbouring host from planting the cookie of its own flow, which would log the browser in as somebody else
   * (RFC 6265bis §4.1.3.2); `Path=/` is what the prefix demands.
   */
  private cookieFor(stateId: string) {
    const isDev = this.environment.environment === 'dev';
    const name = `${isDev ? '' : '__Host-'}idp_login_${stateId}`;
    return { name, attributes: { path: '/', httpOnly: true, secure: !isDev, sameSite: 'lax' } as const };
  }
}
