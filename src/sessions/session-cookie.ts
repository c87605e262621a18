import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';

/** The cookie that carries the session token. */
@Injectable()
export class SessionCookie {
  constructor(private readonly environment: Environment) {}

  set(reply: FastifyReply, token: string): void {
    const { sessionCookieName, sessionCookieMaxAge } = this.environment;
    reply.setCookie(sessionCookieName, token, { ...this.attributes(), maxAge: sessionCookieMaxAge });
  }

  clear(reply: FastifyReply): void {
    reply.clearCookie(this.environment.sessionCookieName, this.attributes());
  }

  /**
   * The token a request presents, or null. Two cookies of the name count as none: one of them was planted, by
   * a neighbouring host or a longer path, and nobody can tell which (RFC 6265bis §8.6).
   */
  read(request: FastifyRequest): string | null {
    const values = this.values(request);
    return values.length === 1 && values[0] ? values[0] : null;
  }

  /** Whether a request carries a cookie of the name, good or not. */
  isPresent(request: FastifyRequest): boolean {
    return this.values(request).length > 0;
  }

  private values({ headers }: FastifyRequest): string[] {
    const prefix = `${this.environment.sessionCookieName}=`;
    return (headers.cookie ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix))
      .map((pair) => pair.slice(prefix.length));
  }

  /** Only `dev` may do without HTTPS; an unknown environment gets the strictest attributes. */
  private attributes() {
    const isDev = this.environment.environment === 'dev';
    return { path: '/', httpOnly: true, secure: !isDev, sameSite: isDev ? 'lax' : 'strict' } as const;
  }
}
