import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { SecretCookie } from '../http/secret-cookie.js';
import { SessionCookie } from '../sessions/session-cookie.js';
import { DEVICE_MEMORY_DAYS } from './known-device.entity.js';

const DAY_SECONDS = 86_400;

/** What the cookies of a request hold when its user logs in. */
export interface PresentedTokens {
  sessionToken: string | null;
  deviceToken: string | null;
}

/**
 * The cookie by which the service knows a browser again. Its name begins with that of the session cookie, and so with
 * the prefix `__Host-` of one. Lax: a Strict one would be missing when the identity provider sends the browser back.
 */
@Injectable()
export class DeviceCookie extends SecretCookie {
  constructor(environment: Environment) {
    const name = `${environment.sessionCookieName}_device`;
    super(environment, { name, maxAgeSeconds: DEVICE_MEMORY_DAYS * DAY_SECONDS, sameSite: 'lax' });
  }
}

/** The two cookies that a login sets: the session, and the device, which outlasts it. */
@Injectable()
export class LoginCookies {
  constructor(
    private readonly session: SessionCookie,
    private readonly device: DeviceCookie,
  ) {}

  read(request: FastifyRequest): PresentedTokens {
    return { sessionToken: this.session.read(request), deviceToken: this.device.read(request) };
  }

  set(reply: FastifyReply, { token, deviceToken }: { token: string; deviceToken: string }): void {
    this.session.set(reply, token);
    this.device.set(reply, deviceToken);
  }
}
