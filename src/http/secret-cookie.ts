import { createParamDecorator, type ExecutionContext, type PipeTransform, type Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';
import { cookieValues } from '../secrets/cookie-values.js';

/** The options in which our cookies differ. */
interface CookieOptions {
  name: string;
  maxAgeSeconds: number;
  /** The attribute outside `dev`, where it is always lax. */
  sameSite: 'lax' | 'strict';
}

const RequestItself = createParamDecorator(
  (_: unknown, context: ExecutionContext): FastifyRequest => context.switchToHttp().getRequest(),
);

/** What the request presents in a cookie, or in several, as their class reads them. */
export const FromCookie = (reader: Type<PipeTransform<FastifyRequest>>) => RequestItself(reader);

/** A cookie that carries a secret, out of reach for scripts and, outside `dev`, for plain HTTP. */
export abstract class SecretCookie implements PipeTransform<FastifyRequest, string | null> {
  constructor(
    private readonly environment: Environment,
    private readonly options: CookieOptions,
  ) {}

  set(reply: FastifyReply, secret: string): void {
    const { name, maxAgeSeconds } = this.options;
    reply.setCookie(name, secret, { ...this.attributes(), maxAge: maxAgeSeconds });
  }

  clear(reply: FastifyReply): void {
    reply.clearCookie(this.options.name, this.attributes());
  }

  /**
   * The secret a request presents, or null. Two cookies of the name count as none: one of them was planted, from a
   * neighbouring host or with a longer path, and the service cannot know which (RFC 6265bis §8.6).
   */
  read(request: FastifyRequest): string | null {
    const values = this.values(request);
    return values.length === 1 && values[0] ? values[0] : null;
  }

  transform(request: FastifyRequest): string | null {
    return this.read(request);
  }

  /** Whether a request carries a cookie of the name, good or not. */
  isPresent(request: FastifyRequest): boolean {
    return this.values(request).length > 0;
  }

  private values({ headers }: FastifyRequest): string[] {
    return cookieValues(headers, this.options.name);
  }

  private attributes() {
    return cookieAttributes(this.environment, this.options.sameSite);
  }
}

/**
 * The name of a cookie that no neighbouring host can plant: with the prefix `__Host-` outside `dev`, whatever the name of
 * the session cookie (RFC 6265bis §4.1.3.2).
 */
export function unplantableName({ environment }: Pick<Environment, 'environment'>, name: string): string {
  return environment === 'dev' || name.startsWith('__Host-') ? name : `__Host-${name}`;
}

/** Only `dev` may do without HTTPS; an unknown environment gets the strictest attributes. */
export function cookieAttributes({ environment }: Environment, sameSite: 'lax' | 'strict') {
  const isDev = environment === 'dev';
  return { path: '/', httpOnly: true, secure: !isDev, sameSite: isDev ? 'lax' : sameSite } as const;
}
