import { type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { within } from '../../database/time-limit.js';
import { actorOf } from '../../http/caller.js';
import { TooManyRequests } from '../../http/errors.js';
import { Limits } from '../../rate-limits/limits.js';
import type { PassportRequest } from './idp.strategy.js';
import { LoginFailure } from './login-failure.js';
import { type Flow, LoginStates, type RedeemedFlow } from './login-states.js';
import type { Profile } from './profile.js';
import { refusedAuthorization } from './provider-request.js';

/** For everything until the redirect; the two requests to the provider share it. */
const TIME_LIMIT_MS = 7_000;

/** What came back from the identity provider: who it is and what for, or why not. */
export type IdpOutcome = { profile: Profile; flow: Flow } | LoginFailure;

type CallbackRequest = FastifyRequest<{ Querystring: Record<string, unknown> }>;

declare module 'fastify' {
  interface FastifyRequest {
    idpFlow?: RedeemedFlow;
    idpOutcome?: IdpOutcome;
  }
}

/** Has Passport finish a flow, and turns whatever comes of it into an outcome; it never refuses by itself. */
@Injectable()
export class CallbackGuard extends AuthGuard('idp') {
  private readonly logger = new Logger(CallbackGuard.name);

  constructor(
    private readonly environment: Environment,
    private readonly states: LoginStates,
    private readonly limits: Limits,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CallbackRequest>();
    try {
      await within(TIME_LIMIT_MS, this.finish(request, context));
    } catch (error) {
      request.idpOutcome = error instanceof LoginFailure ? error : new LoginFailure('provider_error', error);
      this.report(request.idpOutcome);
    }
    return true;
  }

  override getRequest(context: ExecutionContext): PassportRequest {
    const { query, idpFlow } = context.switchToHttp().getRequest<CallbackRequest>();
    return {
      query: { code: String(query.code) },
      reply: context.switchToHttp().getResponse<FastifyReply>(),
      redeemed: idpFlow,
    };
  }

  // biome-ignore lint/suspicious/noExplicitAny: Nest's signature promises whatever the caller likes.
  override handleRequest(error: any, profile: any, info: any, context: ExecutionContext): any {
    // Passport wraps what the exchange of the code throws, and says less.
    if (error) throw error.oauthError ?? error;
    if (!profile) throw new LoginFailure('provider_error');
    context.switchToHttp().getRequest<FastifyRequest>().idpOutcome = { profile, flow: info.state };
    return profile;
  }

  /** A login that the user gave up, or a stranger made up, has no cause, and would only fill the log. */
  private report({ reason, cause }: LoginFailure): void {
    if (cause === undefined) return;
    const fields = { event: 'idp.callback_failed', reason, err: cause };
    this.logger.warn(fields, 'The identity provider did not complete a login.');
  }

  /** Looks at the state before all else: without a good one, the rest may come from any stranger. */
  private async finish(request: CallbackRequest, context: ExecutionContext): Promise<void> {
    await this.count(request);
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    request.idpFlow = await this.states.redeem(request.query.state, request, reply);
    this.check(request.query);
    await super.canActivate(context);
  }

  /** A 429 would be a dead end: the browser stands at this address, with no page of the application around it. */
  private async count(request: CallbackRequest): Promise<void> {
    try {
      await this.limits.takeOfNetwork('callbackPerNetwork', actorOf(request).ip);
    } catch (error) {
      throw error instanceof TooManyRequests ? new LoginFailure('too_many_requests') : error;
    }
  }

  /** Refuses what comes from another provider (RFC 9207), what ours refused, and what is no answer of either kind. */
  private check({ code, error, iss }: Record<string, unknown>): void {
    const isOurs = iss === undefined || iss === this.environment.idpIssuer;
    const isRefusal = typeof error === 'string' && error !== '';
    const isCode = typeof code === 'string' && code !== '';
    if (!isOurs || !(isRefusal || isCode)) throw new LoginFailure('invalid_state');
    if (error === 'access_denied') throw new LoginFailure('access_denied');
    if (isRefusal) throw new LoginFailure('provider_error', refusedAuthorization(error));
  }
}
