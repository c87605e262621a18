import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import jwt from 'jsonwebtoken';
import { uuidv7 } from 'uuidv7';
import { Environment } from '../../config/environment.js';
import { derivedKey } from '../../secrets/derived-key.js';
import { withAnyOf } from '../../secrets/with-any-of.js';
import { LoginFailure } from './login-failure.js';

const ALGORITHM = 'HS256';
const PURPOSE = 'idp-login';

/** Seconds from asking for the address to coming back. */
export const STATE_MAX_AGE_SECONDS = 600;

/** What a login is for, from where it began to where it ends. */
export interface Flow {
  /** The path of the SPA to go to. */
  returnTo: string;
  /** SHA-256 of the invitation's token, base64url; the token itself is nothing for the provider to see. */
  invitation: string | null;
  /** The id of the session that the browser had, which ends when that of the flow starts. */
  formerSession: string | null;
}

/** A flow as its state tells it. */
export interface LoginState extends Flow {
  id: string;
  /** SHA-256 of the PKCE verifier, which only the browser that began the flow holds. */
  challenge: string;
}

/** The `state` of the authorization request (RFC 6749 §10.12): signed, short-lived, for this purpose only. */
@Injectable()
export class LoginStates {
  /** The key in use, then those made of former secrets, which are still accepted. */
  private readonly keys: readonly [Buffer, ...Buffer[]];

  constructor(private readonly environment: Environment) {
    const [secret, ...formerSecrets] = environment.jwtSecretKey;
    const keyFrom = (each: string) => Buffer.from(derivedKey(each, PURPOSE));
    this.keys = [keyFrom(secret), ...formerSecrets.map(keyFrom)];
  }

  /**
   * Signs the state of a new flow, begun at an instant in seconds. The challenge binds it to the holder of the
   * verifier.
   */
  sign(flow: Flow, verifier: string, beganAt: number): { id: string; state: string } {
    const id = uuidv7();
    const claims = {
      purpose: PURPOSE,
      returnTo: flow.returnTo,
      invitation: flow.invitation,
      formerSession: flow.formerSession,
      challenge: challengeOf(verifier),
      iat: beganAt,
    };
    const state = jwt.sign(claims, this.keys[0], {
      algorithm: ALGORITHM,
      audience: this.environment.baseApiUrl,
      expiresIn: STATE_MAX_AGE_SECONDS,
      jwtid: id,
    });
    return { id, state };
  }

  /** Reads a state that came back at an instant in seconds. Throws LoginFailure unless it is ours and still good. */
  verify(state: string, now: number): LoginState {
    try {
      const claims = withAnyOf(this.keys, (key) => this.claimsOf(state, key, now));
      if (claims.purpose !== PURPOSE || !claims.jti || !claims.exp) throw new Error('not a state of a login');
      return {
        id: claims.jti,
        returnTo: claims.returnTo,
        invitation: claims.invitation,
        formerSession: claims.formerSession,
        challenge: claims.challenge,
      };
    } catch {
      // Without the cause: it would put a part of what was presented into the log.
      throw new LoginFailure('invalid_state');
    }
  }

  private claimsOf(state: string, key: Buffer, now: number): jwt.JwtPayload {
    return jwt.verify(state, key, {
      algorithms: [ALGORITHM],
      audience: this.environment.baseApiUrl,
      maxAge: STATE_MAX_AGE_SECONDS,
      clockTimestamp: now,
    }) as jwt.JwtPayload;
  }
}

/** The S256 challenge of a PKCE verifier (RFC 7636 §4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
