import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PendingLoginsRepository } from '../accounts/pending-logins.repository.js';
import { addressOf } from '../http/caller.js';
import { SessionRenewed, Unauthenticated } from '../http/errors.js';
import { rulesOf } from '../http/route-rules.js';
import { hashToken } from '../secrets/token.js';
import { AuthorityService } from './authority.service.js';
import { PendingLoginCookie, SessionCookie } from './session-cookies.js';
import { SessionMetrics } from './session-metrics.js';
import { SessionsService } from './sessions.service.js';

/**
 * Admits requests with an active session, and clears the cookie of one that is no longer active. The cookie of a request
 * that was under way while its session got a fresh token stays: clearing it would throw the fresh one away. Some routes
 * also admit a login that lacks its second step.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly sessions: SessionsService,
    private readonly authority: AuthorityService,
    private readonly cookie: SessionCookie,
    private readonly pendingLogins: PendingLoginsRepository,
    private readonly pendingCookie: PendingLoginCookie,
    private readonly metrics: SessionMetrics,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { key } = context.switchToHttp().getRequest<FastifyRequest>();
    return key !== undefined || rulesOf(context).isPublic || this.hasSession(context);
  }

  private async hasSession(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = this.cookie.read(request);
    const readsAccess = rulesOf(context).readsAccess(request);
    const caller = token && (await this.sessions.resume(token, addressOf(request.ip), { readsAccess }));
    if (caller) {
      request.caller = caller;
      // In the organization of the request, which a later guard finds.
      request.recheck = () => this.authority.assertUnchanged(request.caller ?? caller);
      return true;
    }

    if (token && (await this.sessions.isJustReplaced(token))) throw new SessionRenewed();

    if (rulesOf(context).isOpenToPendingLogin && (await this.hasPendingLogin(context))) return true;

    const isStale = this.cookie.isPresent(request);
    if (isStale) this.cookie.clear(context.switchToHttp().getResponse<FastifyReply>());
    this.metrics.refused.inc({ cookie: isStale ? 'stale' : 'none' });
    throw new Unauthenticated();
  }

  private async hasPendingLogin(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = this.pendingCookie.read(request);
    if (token !== null && (await this.pendingLogins.find(hashToken(token)))) return true;
    if (this.pendingCookie.isPresent(request))
      this.pendingCookie.clear(context.switchToHttp().getResponse<FastifyReply>());
    return false;
  }
}
