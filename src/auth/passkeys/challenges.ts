import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { InvalidPasskey } from '../../http/errors.js';
import { SecretCookie } from '../../http/secret-cookie.js';
import { isSameSecret } from '../../secrets/same-secret.js';
import { hashToken, isMintedToken, mintToken } from '../../secrets/token.js';
import { SignedStates, STATE_MAX_AGE_SECONDS, type StatePurpose } from '../login/signed-states.js';

export type CeremonyPurpose = Extract<StatePurpose, `passkey-${string}`>;

/** The cookie that binds the challenges of a login to the browser they were made for. */
@Injectable()
export class ChallengeCookie extends SecretCookie {
  constructor(environment: Environment) {
    const name = `${environment.sessionCookieName}_challenge`;
    super(environment, { name, maxAgeSeconds: STATE_MAX_AGE_SECONDS, sameSite: 'strict' });
  }

  /** The secret of this browser, which all of its tabs share, for as long again. */
  renew(request: FastifyRequest, reply: FastifyReply): string {
    const presented = this.read(request);
    const secret = presented !== null && isMintedToken(presented) ? presented : mintToken();
    this.set(reply, secret);
    return secret;
  }
}

/**
 * The challenges that passkeys sign (WebAuthn Level 3 §13.4.3). Each is a signed state, bound to the browser by the secret
 * of its cookie, or to a session by its id.
 */
@Injectable()
export class Challenges {
  constructor(private readonly states: SignedStates) {}

  /** A challenge, base64url. */
  async issue(purpose: CeremonyPurpose, bound: string): Promise<string> {
    const { state } = await this.states.sign(purpose, { bound: fingerprint(bound) });
    return Buffer.from(state).toString('base64url');
  }

  /** The id of a challenge that came back, with which it is used up. Throws InvalidPasskey. */
  async check(challenge: string, purpose: CeremonyPurpose, bound: string): Promise<string> {
    const claims = await this.states.read(Buffer.from(challenge, 'base64url').toString(), purpose);
    if (!claims || !isSameSecret(claims.bound, fingerprint(bound))) throw new InvalidPasskey();
    return claims.jti;
  }
}

function fingerprint(secret: string): string {
  return hashToken(secret).toString('base64url');
}
