import { createParamDecorator, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { within } from '../../database/time-limit.js';
import { actorOf } from '../../http/caller.js';
import { TooManyRequests } from '../../http/errors.js';
import { Limits } from '../../rate-limits/limits.js';
import { assertCode, type ReturnedLogin } from './idp.strategy.js';
import { type IdpLogin, type IdpOutcome, LoginFailure, LoginFlows } from './login-flows.js';
import { type Provider, Providers } from './providers.js';

/** For everything until the redirect; all requests to the provider share it. */
const TIME_LIMIT_MS = 7_000;

type CallbackRequest = FastifyRequest<{ Params: { provider: string }; Querystring: Record<string, unknown> }>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Only behind the guard of the callback. */
    idpOutcome?: IdpOutcome;
  }
}

/** How the login ended at the provider that the browser comes back from. */
export const Outcome = createParamDecorator((_: unknown, context: ExecutionContext): IdpOutcome => {
  const { idpOutcome } = requestOf(context);
  if (!idpOutcome) throw new Error('the callback has no guard');
  return idpOutcome;
});

/**
 * Has Passport find out who logged in at the provider of the path, and notes the outcome. Admits every request, whatever
 * goes wrong: the browser stands at our address, and an error there would be a dead end.
 */
@Injectable()
export class IdpGuard extends AuthGuard('idp') {
  private readonly logger = new Logger(IdpGuard.name);

  constructor(
    private readonly providers: Providers,
    private readonly flows: LoginFlows,
    private readonly limits: Limits,
  ) {
    super();
  }

  /** Throws NotFound for a provider that there is not. */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    this.providerOf(context);
    try {
      await within(TIME_LIMIT_MS, Promise.resolve(super.canActivate(context)));
    } catch (error) {
      this.handleRequest(error, false, undefined, context);
    }
    return true;
  }

  /** Looks at the state before all else: without a good one, the rest may come from any stranger. */
  override async getAuthenticateOptions(context: ExecutionContext): Promise<ReturnedLogin> {
    const request = requestOf(context);
    const provider = this.providerOf(context);
    await this.count(request);
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const redeemed = await this.flows.redeem(request.query.state, provider, request, reply);
    const endpoints = await provider.endpoints();
    assertCode(request.query, provider, endpoints);
    return { ...redeemed, provider, endpoints };
  }

  /** What Passport sees of the request: it would believe an `error` without looking at the state. */
  override getRequest(context: ExecutionContext) {
    return { query: { code: requestOf(context).query.code } };
  }

  override handleRequest<Login>(
    error: unknown,
    login: Login & (IdpLogin | false),
    _info: unknown,
    context: ExecutionContext,
  ): Login {
    const request = requestOf(context);
    // What comes after the time limit comes too late.
    request.idpOutcome ??= login || this.failureOf(error, context);
    return login;
  }

  private failureOf(error: unknown, context: ExecutionContext): IdpOutcome {
    const { state } = requestOf(context).query;
    const beginning = this.flows.beginning(state);
    if (error instanceof LoginFailure) return { kind: 'failure', reason: error.reason, beginning };
    const { id: provider } = this.providerOf(context);
    const fields = { event: 'idp.callback_failed', provider, reason: 'provider_error', err: error };
    this.logger.warn(fields, 'The identity provider did not complete a login.');
    return { kind: 'failure', reason: 'provider_error', beginning };
  }

  private providerOf(context: ExecutionContext): Provider {
    return this.providers.named(requestOf(context).params.provider);
  }

  /** A 429 would be a dead end: the browser stands at this address, with no page of the application around it. */
  private async count(request: CallbackRequest): Promise<void> {
    try {
      await this.limits.takeOfNetwork('callbackPerNetwork', actorOf(request).ip);
    } catch (error) {
      throw error instanceof TooManyRequests ? new LoginFailure('too_many_requests') : error;
    }
  }
}

function requestOf(context: ExecutionContext): CallbackRequest {
  return context.switchToHttp().getRequest<CallbackRequest>();
}
