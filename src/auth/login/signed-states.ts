import { Injectable } from '@nestjs/common';
import jwt from 'jsonwebtoken';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../../audit/transactions.js';
import { Environment } from '../../config/environment.js';
import { derivedKey } from '../../secrets/derived-key.js';
import { withAnyOf } from '../../secrets/with-any-of.js';
import { UsedStatesRepository } from './used-states.repository.js';

const ALGORITHM = 'HS256';

/** Seconds from the beginning of a flow to its end. */
export const STATE_MAX_AGE_SECONDS = 600;

/** What a state is for. One that was signed for one purpose is worth nothing for another. */
export type StatePurpose =
  | 'idp-login'
  | 'idp-link'
  | 'passkey-login'
  | 'passkey-register'
  | 'passkey-step-up';

/** What is said in a state, besides its id, its purpose and its time. */
type Claims = Record<string, string | null>;

/**
 * What a browser brings back from a flow that began here: signed, short-lived, and good once. Nothing is stored until it
 * comes back, and any replica may finish what another began.
 */
@Injectable()
export class SignedStates {
  constructor(
    private readonly environment: Environment,
    private readonly usedStates: UsedStatesRepository,
  ) {}

  async sign(purpose: StatePurpose, claims: Claims): Promise<{ id: string; state: string }> {
    const [key] = this.keys(purpose);
    const id = uuidv7();
    const state = jwt.sign({ ...claims, purpose, iat: await this.usedStates.now() }, key, {
      algorithm: ALGORITHM,
      audience: this.environment.baseApiUrl,
      expiresIn: STATE_MAX_AGE_SECONDS,
      jwtid: id,
    });
    return { id, state };
  }

  /** What a state says, with its id. Returns null unless it is ours, for this purpose, and still good. */
  async read(state: string, purpose: StatePurpose): Promise<(jwt.JwtPayload & { jti: string }) | null> {
    const now = await this.usedStates.now();
    try {
      const { jti, ...claims } = withAnyOf(this.keys(purpose), (key) => this.claimsOf(state, key, now));
      return claims.purpose === purpose && jti && claims.exp ? { ...claims, jti } : null;
    } catch {
      // Without the cause: it would put a part of what was presented into the log.
      return null;
    }
  }

  /**
   * What a state of ours said, even if it has expired or was used: good to find the way back to where its flow began, and
   * for nothing else.
   */
  recall(state: string, purpose: StatePurpose): jwt.JwtPayload | null {
    try {
      const claims = withAnyOf(this.keys(purpose), (key) =>
        this.verified(state, key, { ignoreExpiration: true }),
      );
      return claims.purpose === purpose ? claims : null;
    } catch {
      return null;
    }
  }

  /** Remembers that a state was used, until it has expired anyway. Returns false when it was used before. */
  use(id: string, tx?: Transaction): Promise<boolean> {
    return this.usedStates.insert(id, STATE_MAX_AGE_SECONDS, tx);
  }

  /** The key in use, then those made of former secrets, which are still accepted. */
  private keys(purpose: StatePurpose): readonly [Buffer, ...Buffer[]] {
    const [secret, ...formerSecrets] = this.environment.jwtSecretKey;
    const keyFrom = (each: string) => Buffer.from(derivedKey(each, purpose));
    return [keyFrom(secret), ...formerSecrets.map(keyFrom)];
  }

  private claimsOf(state: string, key: Buffer, now: number): jwt.JwtPayload {
    return this.verified(state, key, { maxAge: STATE_MAX_AGE_SECONDS, clockTimestamp: now });
  }

  private verified(state: string, key: Buffer, when: jwt.VerifyOptions): jwt.JwtPayload {
    const rules: jwt.VerifyOptions = { algorithms: [ALGORITHM], audience: this.environment.baseApiUrl };
    return jwt.verify(state, key, { ...rules, ...when, complete: false }) as jwt.JwtPayload;
  }
}
