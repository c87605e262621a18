import { Injectable } from '@nestjs/common';
import jwt from 'jsonwebtoken';
import { Environment } from '../config/environment.js';
import type { CallerUser } from '../http/caller.js';
import { UnknownAudience } from '../http/errors.js';
import type { Session } from '../sessions/session.entity.js';
import type { ActiveSession } from '../sessions/sessions.repository.js';
import { ALGORITHM, SigningKeys } from './signing-keys.js';
import { TokenMetrics } from './token-metrics.js';

/** A signed statement of who has a session, for one back end. */
export interface SessionToken {
  token: string;
  expiresAt: Date;
}

/**
 * Signs who has a session, for back ends that this service cannot answer at each request, or that trust no header. A token
 * is good until it expires, also when the session ends before. It opens nothing here.
 */
@Injectable()
export class SessionTokens {
  constructor(
    private readonly keys: SigningKeys,
    private readonly environment: Environment,
    private readonly metrics: TokenMetrics,
  ) {}

  /**
   * A token for an audience, good for some seconds and not longer than the session, by the database's clock. No address
   * and no name is in it, because tokens end up in logs. Throws UnknownAudience.
   */
  sign({ user, session, checkedAt }: ActiveSession, audience: string, maxAgeSeconds: number): SessionToken {
    const [key] = this.keys.all;
    if (!key || !checkedAt || !this.environment.tokenAudiences.includes(audience))
      throw new UnknownAudience();

    const issuedAt = inSeconds(checkedAt);
    const expiry = Math.min(issuedAt + maxAgeSeconds, inSeconds(session.expiresAt));
    const claims = { ...claimsOf(user, session), iat: issuedAt, exp: expiry };
    const token = jwt.sign(claims, key.privateKey, {
      algorithm: ALGORITHM,
      keyid: key.jwk.kid,
      issuer: this.environment.baseApiUrl,
      audience,
    });
    this.metrics.issued.inc({ audience });
    return { token, expiresAt: new Date(expiry * 1000) };
  }
}

function claimsOf({ id, orgId, role }: CallerUser, session: Session) {
  return {
    sub: id,
    sid: session.id,
    org_id: orgId,
    role,
    aal: session.aal,
    ...(session.authenticatedAt && { auth_time: inSeconds(session.authenticatedAt) }),
  };
}

function inSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
