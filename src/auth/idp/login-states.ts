import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import jwt from 'jsonwebtoken';
import { DataSource } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { Environment } from '../../config/environment.js';
import { cookieValues } from '../../secrets/cookie-values.js';
import { derivedKey } from '../../secrets/derived-key.js';
import { isSameSecret } from '../../secrets/same-secret.js';
import { withAnyOf } from '../../secrets/with-any-of.js';
import { LoginFailure } from './login-failure.js';

const ALGORITHM = 'HS256';
const PURPOSE = 'idp-login';

/** Seconds from asking for the address to coming back. */
const MAX_AGE_SECONDS = 600;

/** What a login is for, from where it began to where it ends. */
export interface Flow {
  /** The path of the SPA to go to. */
  returnTo: string;
  /** SHA-256 of the invitation's token, base64url; the provider must not see the token itself. */
  invitation: string | null;
  /** The id of the session that the browser had, which ends when that of the flow starts. */
  formerSession: string | null;
}

/** A flow that came back to the browser it began in, and the PKCE verifier that waited there. */
export interface RedeemedFlow {
  flow: Flow;
  verifier: string;
}

/**
 * The `state` of an authorization request (RFC 6749 §10.12), without a session: signed, short-lived, and good once. The
 * PKCE verifier waits in a cookie of the browser that began the flow, one cookie a flow, so that two tabs do not
 * disturb each other.
 */
@Injectable()
export class LoginStates {
  /** The key in use, then those made of former secrets, which are still accepted. */
  private readonly keys: readonly [Buffer, ...Buffer[]];

  constructor(
    private readonly environment: Environment,
    private readonly database: DataSource,
  ) {
    const [secret, ...formerSecrets] = environment.jwtSecretKey;
    const keyFrom = (each: string) => Buffer.from(derivedKey(each, PURPOSE));
    this.keys = [keyFrom(secret), ...formerSecrets.map(keyFrom)];
  }

  /** The state of a new flow, whose browser gets the verifier in a cookie. */
  async begin(flow: Flow, verifier: string, reply: FastifyReply): Promise<string> {
    const id = uuidv7();
    const state = this.sign(id, flow, verifier, await this.now());
    const { name, attributes } = this.cookieOf(id);
    reply.setCookie(name, verifier, { ...attributes, maxAge: MAX_AGE_SECONDS });
    return state;
  }

  /**
   * Takes a state once, and only from the browser that began the flow, which forgets its cookie. Throws LoginFailure.
   */
  async redeem(presented: unknown, { headers }: FastifyRequest, reply: FastifyReply): Promise<RedeemedFlow> {
    if (typeof presented !== 'string') throw new LoginFailure('invalid_state');
    const { id, challenge, ...flow } = this.verify(presented, await this.now());
    const { name, attributes } = this.cookieOf(id);
    const [verifier = '', ...others] = cookieValues(headers.cookie, name);
    const isTheirs = others.length === 0 && isSameSecret(challengeOf(verifier), challenge);
    if (!isTheirs) throw new LoginFailure('invalid_state');

    reply.clearCookie(name, attributes);
    if (!(await this.use(id))) throw new LoginFailure('invalid_state');
    return { verifier, flow };
  }

  /**
   * Signs the state of a flow, begun at an instant in seconds. The challenge binds it to the holder of the verifier.
   */
  private sign(id: string, flow: Flow, verifier: string, beganAt: number): string {
    const claims = {
      purpose: PURPOSE,
      returnTo: flow.returnTo,
      invitation: flow.invitation,
      formerSession: flow.formerSession,
      challenge: challengeOf(verifier),
      iat: beganAt,
    };
    return jwt.sign(claims, this.keys[0], {
      algorithm: ALGORITHM,
      audience: this.environment.baseApiUrl,
      expiresIn: MAX_AGE_SECONDS,
      jwtid: id,
    });
  }

  /** Reads a state that came back at an instant in seconds. Throws LoginFailure unless it is ours and still good. */
  private verify(state: string, now: number): Flow & { id: string; challenge: string } {
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
      maxAge: MAX_AGE_SECONDS,
      clockTimestamp: now,
    }) as jwt.JwtPayload;
  }

  /**
   * Lax, not Strict: it must come along when the provider sends the browser back. Outside `dev` the prefix keeps a
   * neighbouring host from planting the cookie of its own flow, which would log the browser in as another user
   * (RFC 6265bis §4.1.3.2); `Path=/` is what the prefix demands.
   */
  private cookieOf(stateId: string) {
    const isDev = this.environment.environment === 'dev';
    const name = `${isDev ? '' : '__Host-'}idp_login_${stateId}`;
    return { name, attributes: { path: '/', httpOnly: true, secure: !isDev, sameSite: 'lax' } as const };
  }

  /** Remembers that a state was used, until it has expired anyway. Returns false when it was used before. */
  private async use(id: string): Promise<boolean> {
    const rows = await this.database.query<unknown[]>(
      `INSERT INTO used_states (id, expires_at) VALUES ($1, now() + make_interval(secs => $2))
       ON CONFLICT (id) DO NOTHING RETURNING id`,
      [id, MAX_AGE_SECONDS],
    );
    return rows.length === 1;
  }

  /** Seconds by the database's clock: a flow may end at another replica than it began at. */
  private async now(): Promise<number> {
    const [{ seconds }] = await this.database.query('SELECT extract(epoch FROM now())::int AS seconds');
    return seconds;
  }
}

/** The S256 challenge of a PKCE verifier (RFC 7636 §4.2). */
function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
