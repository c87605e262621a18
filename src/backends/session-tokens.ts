import { sign } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import type { CallerSession, CallerUser } from '../http/caller.js';
import { UnknownAudience } from '../http/errors.js';
import type { ActiveSession } from '../sessions/sessions.service.js';
import { inBase64Url, type SigningKey, SigningKeys } from './signing-keys.js';
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
   * and no name is in it, because tokens end up in logs. It says which permissions a rule has found, if one asked. Throws
   * UnknownAudience.
   */
  sign(
    { user, session, checkedAt }: ActiveSession,
    audience: string,
    maxAgeSeconds: number,
    permissions: readonly string[] = [],
  ): SessionToken {
    const [key] = this.keys.all;
    if (!key || !this.environment.tokenAudiences.includes(audience)) throw new UnknownAudience();

    const issuedAt = inSeconds(checkedAt);
    const expiry = Math.min(issuedAt + maxAgeSeconds, inSeconds(session.expiresAt));
    const token = signedToken(key, {
      ...claimsOf(user, session),
      ...(permissions.length > 0 && { permissions }),
      iss: this.environment.baseApiUrl,
      aud: audience,
      iat: issuedAt,
      exp: expiry,
    });
    this.metrics.issued.inc({ audience });
    return { token, expiresAt: new Date(expiry * 1000) };
  }
}

function claimsOf({ id, orgId, role }: CallerUser, session: CallerSession) {
  return {
    sub: id,
    sid: session.id,
    org_id: orgId,
    role,
    aal: session.aal,
    ...(session.authenticatedAt && { auth_time: inSeconds(session.authenticatedAt) }),
    // Who acts for the subject (RFC 8693 §4.1).
    ...(session.acting && { act: { sub: session.acting.actorId } }),
  };
}

/** The claims in the compact form of a JWT (RFC 7515 §3.1). */
function signedToken({ privateKey, header }: SigningKey, claims: object): string {
  const content = `${header}.${inBase64Url(claims)}`;
  const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}

function inSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
