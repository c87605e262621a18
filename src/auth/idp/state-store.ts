import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Environment } from '../../config/environment.js';
import { isSameSecret } from '../../secrets/same-secret.js';
import { LoginFailure } from './login-failure.js';
import { challengeOf, type Flow, LoginStates, STATE_MAX_AGE_SECONDS } from './login-state.js';
import { UsedStatesRepository } from './used-states.repository.js';

/** What Passport is given in place of a request: it sees nothing of it but what the guards choose. */
export interface PassportRequest {
  query: Record<string, string>;
  cookies: Record<string, string | undefined>;
  reply: FastifyReply;
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

  verify = (request: PassportRequest, state: string, _meta: unknown, done: Verified): void => {
    this.redeem(request, state).then(
      ({ verifier, flow }) => done(null, verifier, flow),
      (error) => done(error),
    );
  };

  private async begin({ reply }: PassportRequest, verifier: string, flow: Flow): Promise<string> {
    const { id, state } = this.states.sign(flow, verifier, await this.usedStates.now());
    const { name, attributes } = this.cookieFor(id);
    reply.setCookie(name, verifier, { ...attributes, maxAge: STATE_MAX_AGE_SECONDS });
    return state;
  }

  /** Takes a state once, and only from the browser that began the flow. Throws LoginFailure. */
  private async redeem({ cookies, reply }: PassportRequest, presented: string) {
    const { id, challenge, ...flow } = this.states.verify(presented, await this.usedStates.now());
    const { name, attributes } = this.cookieFor(id);
    const verifier = cookies[name] ?? '';
    if (!isSameSecret(challengeOf(verifier), challenge)) throw new LoginFailure('invalid_state');

    reply.clearCookie(name, attributes);
    const isFirst = await this.usedStates.insert(id, STATE_MAX_AGE_SECONDS);
    if (!isFirst) throw new LoginFailure('invalid_state');
    return { verifier, flow };
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
