import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PendingLogin } from '../../accounts/pending-login.entity.js';
import { PendingLoginsRepository } from '../../accounts/pending-logins.repository.js';
import { Unauthenticated } from '../../http/errors.js';
import { hashToken } from '../../secrets/token.js';
import { PendingLoginCookie } from '../../sessions/session-cookies.js';

/** A login that lacks its second step, as the guard found it. */
export type FoundLogin = Pick<PendingLogin, 'userId' | 'newIdentity' | 'expiresAt' | 'tokenHash'>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Only where the guard admits. */
    pendingLogin?: FoundLogin;
  }
}

/** The login that the request is to complete. */
export const CurrentPendingLogin = createParamDecorator(
  (_: unknown, context: ExecutionContext): FoundLogin => {
    const { pendingLogin } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!pendingLogin) throw new Unauthenticated();
    return pendingLogin;
  },
);

/** Admits requests with a login that lacks its second step, and clears the cookie of one that is over. */
@Injectable()
export class PendingLoginGuard implements CanActivate {
  constructor(
    private readonly logins: PendingLoginsRepository,
    private readonly cookie: PendingLoginCookie,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = this.cookie.read(request);
    const tokenHash = token === null ? null : hashToken(token);
    const found = tokenHash && (await this.logins.find(tokenHash));
    if (found) {
      request.pendingLogin = { ...found, tokenHash };
      return true;
    }
    if (this.cookie.isPresent(request)) this.cookie.clear(context.switchToHttp().getResponse<FastifyReply>());
    throw new Unauthenticated();
  }
}
