import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { cookieAttributes } from '../../http/secret-cookie.js';
import { cookieValues } from '../../secrets/cookie-values.js';
import { isSameSecret } from '../../secrets/same-secret.js';
import { SignedStates, STATE_MAX_AGE_SECONDS } from '../login/signed-states.js';
import type { Profile } from './profile.js';
import type { Provider } from './providers.js';

/** The account that an identity is linked to, and the session in which its owner asked for that. */
export interface LinkingSession {
  userId: string;
  sessionId: string;
}

/** Where a login began, and where it leads back to. */
export interface Beginning {
  /** The path to go to: of the SPA, or with `via` one below `/ui`. */
  returnTo: string;
  /** Whether it began on the service's own pages. */
  via: 'ui' | null;
  /** Set where it is no login: its identity is linked to the account of a session, which goes on. */
  linksTo: LinkingSession | null;
}

/** What a login is for, from where it began to where it ends. */
export interface Flow extends Beginning {
  /** SHA-256 of the invitation's token, base64url; the provider must not see the token itself. */
  invitation: string | null;
  /**
   * The id of the session that the browser had, which ends when that of the flow starts.
   */
  formerSession: string | null;
  /** Whether the provider asks its user again: always where there was a session. */
  asksAgain: boolean;
  /** The languages to ask them in, as `ui_locales` (OpenID Connect Core §3.1.2.1); null where the provider goes by the browser. */
  uiLocales: string | null;
}

/** A flow that came back to the browser it began in, and the PKCE verifier that waited there. */
export interface RedeemedFlow {
  flow: Flow;
  verifier: string;
  /** When it began, in seconds. */
  begunAt: number;
}

/** How a flow ends at its provider: someone logged in there, or the login failed. */
export type IdpOutcome = IdpLogin | IdpFailure;

/** Who logged in at a provider, and what for. */
export interface IdpLogin {
  kind: 'login';
  provider: Provider;
  flow: Flow;
  profile: Profile;
  /** When they proved there who they are; null where that is now, or the provider does not say. */
  provenAt: Date | null;
}

/** A login that failed. Where it began is known from its state; null where it has none of ours. */
interface IdpFailure {
  kind: 'failure';
  reason: FailureReason;
  beginning: Beginning | null;
}

/** Why a login through an identity provider failed, as the SPA's login page learns it. */
export type FailureReason =
  | 'access_denied'
  | 'invalid_state'
  | 'email_not_verified'
  | 'invitation_required'
  | 'invitation_invalid'
  | 'invitation_conflict'
  | 'invitation_login_first'
  | 'account_disabled'
  | 'account_conflict'
  | 'identity_taken'
  | 'session_ended'
  | 'too_many_requests'
  | 'provider_error';

/** Ends a login through an identity provider; the browser is sent to the login page with the reason. */
export class LoginFailure extends Error {
  constructor(readonly reason: FailureReason) {
    super(`login through the identity provider: ${reason}`);
  }
}

/**
 * The `state` of an authorization request (RFC 6749 §10.12), without a session: signed, short-lived, and good once. The
 * PKCE verifier waits in a cookie of the browser that began the flow, one cookie a flow, so that two tabs do not
 * disturb each other.
 */
@Injectable()
export class LoginFlows {
  constructor(
    private readonly environment: Environment,
    private readonly states: SignedStates,
  ) {}

  /** The state of a new flow, whose browser gets the verifier in a cookie. The challenge binds it to that browser. */
  async begin(provider: Provider, flow: Flow, verifier: string, reply: FastifyReply): Promise<string> {
    const { returnTo, via, linksTo, invitation, formerSession, asksAgain, uiLocales } = flow;
    const claims = {
      provider: provider.id,
      returnTo,
      via,
      invitation,
      formerSession,
      asksAgain: asksAgain ? 'yes' : null,
      uiLocales,
      challenge: challengeOf(verifier),
      ...linksTo,
    };
    const { id, state } = await this.states.sign(linksTo === null ? 'idp-login' : 'idp-link', claims);
    const { name, attributes } = this.cookieOf(id);
    reply.setCookie(name, verifier, { ...attributes, maxAge: STATE_MAX_AGE_SECONDS });
    return state;
  }

  /**
   * Takes a state once, only from the browser that began the flow, which forgets its cookie, and only for the provider
   * that the flow began with: a code would otherwise be sent to another provider than the one that gave it out (RFC
   * 9700 §4.4). Throws LoginFailure.
   */
  async redeem(
    presented: unknown,
    provider: Provider,
    { headers }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<RedeemedFlow> {
    if (typeof presented !== 'string') throw new LoginFailure('invalid_state');
    const claims =
      (await this.states.read(presented, 'idp-login')) ?? (await this.states.read(presented, 'idp-link'));
    // The version before signed none: it had one provider. Its replicas may still begin flows during an upgrade.
    if (!claims || (claims.provider ?? 'idp') !== provider.id) throw new LoginFailure('invalid_state');
    const { name, attributes } = this.cookieOf(claims.jti);
    const [verifier = '', ...others] = cookieValues(headers, name);
    const isTheirs = others.length === 0 && isSameSecret(challengeOf(verifier), claims.challenge);
    if (!isTheirs) throw new LoginFailure('invalid_state');

    reply.clearCookie(name, attributes);
    if (!(await this.states.use(claims.jti))) throw new LoginFailure('invalid_state');
    const { returnTo, invitation, formerSession, uiLocales = null } = claims;
    return {
      verifier,
      begunAt: claims.iat ?? 0,
      flow: {
        returnTo,
        via: viaIn(claims),
        linksTo: linksToIn(claims),
        invitation,
        formerSession,
        asksAgain: asksAgainIn(claims),
        uiLocales,
      },
    };
  }

  /** Where a flow of ours began, even if its state is no longer good; null where no state of ours is presented. */
  beginning(presented: unknown): Beginning | null {
    if (typeof presented !== 'string') return null;
    const claims = this.states.recall(presented, 'idp-login') ?? this.states.recall(presented, 'idp-link');
    return claims && { returnTo: claims.returnTo, via: viaIn(claims), linksTo: linksToIn(claims) };
  }

  /**
   * Lax, not Strict: it must come along when the provider sends the browser back. Outside `dev` the prefix keeps a
   * neighbouring host from planting the cookie of its own flow, which would log the browser in as another user
   * (RFC 6265bis §4.1.3.2); `Path=/` is what the prefix demands.
   */
  private cookieOf(stateId: string) {
    const isDev = this.environment.environment === 'dev';
    const name = `${isDev ? '' : '__Host-'}idp_login_${stateId}`;
    return { name, attributes: cookieAttributes(this.environment, 'lax') };
  }
}

/** The version before signed none. */
function viaIn(claims: Record<string, unknown>): 'ui' | null {
  return claims.via === 'ui' ? 'ui' : null;
}

/**
 * Only a state of its own purpose links: a replica of the version before, which knows none, must not take it for a login.
 */
function linksToIn({ purpose, userId, sessionId }: Record<string, string>): LinkingSession | null {
  return purpose === 'idp-link' ? { userId: userId as string, sessionId: sessionId as string } : null;
}

/** The version before signed none: it had the provider ask again where there was a session. */
function asksAgainIn({ asksAgain, formerSession }: Record<string, unknown>): boolean {
  return asksAgain === 'yes' || formerSession !== null;
}

/** The S256 challenge of a PKCE verifier (RFC 7636 §4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
