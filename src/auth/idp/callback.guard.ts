import { type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { within } from '../../within.js';
import { LoginFailure } from './login-failure.js';
import type { Flow } from './login-state.js';
import type { Profile } from './profile.js';
import type { PassportRequest } from './state-store.js';

/** For everything until the redirect; the two requests to the provider share it. */
const TIME_LIMIT_MS = 7_000;

/** What came back from the identity provider: who it is and what for, or why not. */
export type IdpOutcome = { profile: Profile; flow: Flow } | LoginFailure;

type CallbackRequest = FastifyRequest<{ Querystring: Record<string, string> }>;

declare module 'fastify' {
  interface FastifyRequest {
    idpOutcome?: IdpOutcome;
  }
}

/** Has Passport finish a flow, and turns whatever comes of it into an outcome; it never refuses by itself. */
@Injectable()
export class CallbackGuard extends AuthGuard('idp') {
  private readonly logger = new Logger(CallbackGuard.name);

  constructor(private readonly environment: Environment) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CallbackRequest>();
    try {
      this.check(request.query);
      await within(TIME_LIMIT_MS, Promise.resolve(super.canActivate(context)));
    } catch (error) {
      request.idpOutcome = error instanceof LoginFailure ? error : new LoginFailure('provider_error', error);
      if (request.idpOutcome.cause) this.logger.warn(request.idpOutcome.cause, request.idpOutcome.message);
    }
    return true;
  }

  override getRequest(context: ExecutionContext): PassportRequest {
    const { query, headers, server } = context.switchToHttp().getRequest<CallbackRequest>();
    return {
      query,
      cookies: server.parseCookie(headers.cookie ?? ''),
      reply: context.switchToHttp().getResponse<FastifyReply>(),
    };
  }

  // biome-ignore lint/suspicious/noExplicitAny: Nest's signature promises whatever the caller likes.
  override handleRequest(error: unknown, profile: any, info: any, context: ExecutionContext): any {
    if (error) throw error;
    if (!profile) throw new LoginFailure('access_denied');
    context.switchToHttp().getRequest<FastifyRequest>().idpOutcome = { profile, flow: info.state };
    return profile;
  }

  /** Refuses what Passport would take for the beginning of a flow, or take from another provider (RFC 9207). */
  private check({ code, error, state, iss }: Record<string, unknown>): void {
    const isOurs = iss === undefined || iss === this.environment.idpIssuer;
    const isAnswer = [code, error].some((answer) => typeof answer === 'string' && answer !== '');
    if (!isOurs || !isAnswer || typeof state !== 'string') throw new LoginFailure('invalid_state');
  }
}
