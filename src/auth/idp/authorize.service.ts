import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { validationPipe } from '../../http/validation.pipe.js';
import { hashToken } from '../../secrets/token.js';
import { SessionCookie } from '../../sessions/session-cookie.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { AuthorizeQuery } from './idp.dto.js';
import type { PassportRequest } from './idp.strategy.js';
import type { Flow } from './login-states.js';

/** A request that has passed the guard. */
export interface BegunRequest {
  /** Where the identity provider asks the user. */
  authorizationUrl: string;
}

/**
 * Has Passport begin a flow. Passport would redirect, but the SPA fetches the address and goes there by itself: the
 * stand-in for the response takes the redirect, and nothing is sent.
 */
@Injectable()
export class AuthorizeGuard extends AuthGuard('idp') {
  private readonly redirects = new WeakMap<object, (url: string) => void>();

  constructor(
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<BegunRequest>();
    request.authorizationUrl = await new Promise((resolve, reject) => {
      this.redirects.set(request, resolve);
      Promise.resolve(super.canActivate(context)).catch(reject);
    });
    return true;
  }

  /** An empty query: a `code` or `error` in it would make Passport take this for a callback. */
  override getRequest(context: ExecutionContext): PassportRequest {
    return { query: {}, reply: context.switchToHttp().getResponse<FastifyReply>() };
  }

  getResponse(context: ExecutionContext) {
    const redirected = this.redirects.get(context.switchToHttp().getRequest<FastifyRequest>());
    return {
      setHeader: (name: string, value: string) => name === 'Location' && redirected?.(value),
      end: () => {},
    };
  }

  /** Guards come before pipes, so that the query is checked here. */
  override async getAuthenticateOptions(context: ExecutionContext): Promise<{ state: Flow }> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const metadata = { type: 'query', metatype: AuthorizeQuery } as const;
    const { return_to, invitation_token }: AuthorizeQuery = await validationPipe().transform(
      request.query,
      metadata,
    );
    const invitation =
      invitation_token === undefined ? null : hashToken(invitation_token).toString('base64url');
    return { state: { returnTo: return_to, invitation, formerSession: await this.formerSession(request) } };
  }

  /** Asked for here, because the Strict cookie does not come along when the provider sends the browser back. */
  private async formerSession(request: FastifyRequest): Promise<string | null> {
    const token = this.cookie.read(request);
    const active = token === null ? null : await this.sessions.resume(token);
    return active?.session.id ?? null;
  }
}
