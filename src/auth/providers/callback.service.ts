import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { within } from '../../database/time-limit.js';
import { actorOf } from '../../http/caller.js';
import { TooManyRequests } from '../../http/errors.js';
import { Limits } from '../../rate-limits/limits.js';
import type { Endpoints } from './discovery.js';
import { type LoginThere, loginFor } from './idp.strategy.js';
import { LoginFailure } from './login-failure.js';
import { type Beginning, type Flow, LoginStates } from './login-states.js';
import { isCancelled, refusedAuthorization } from './provider-request.js';
import type { Provider } from './providers.js';

/** For everything until the redirect; all requests to the provider share it. */
const TIME_LIMIT_MS = 7_000;

/** Who came back from an identity provider, and what for. */
export interface IdpSuccess extends LoginThere {
  provider: Provider;
  flow: Flow;
}

/** What came back from an identity provider. Where it is a failure, the beginning of the flow is known from its state. */
export type IdpOutcome = IdpSuccess | { failure: LoginFailure; beginning: Beginning | null };

/** Finishes logins through identity providers, up to who it is that logged in. */
@Injectable()
export class CallbackService {
  private readonly logger = new Logger(CallbackService.name);

  constructor(
    private readonly states: LoginStates,
    private readonly limits: Limits,
  ) {}

  /** Never rejects: whatever goes wrong becomes the outcome. */
  async outcome(provider: Provider, request: FastifyRequest, reply: FastifyReply): Promise<IdpOutcome> {
    try {
      return await within(TIME_LIMIT_MS, this.finish(provider, request, reply));
    } catch (error) {
      const failure = error instanceof LoginFailure ? error : new LoginFailure('provider_error', error);
      this.report(provider, failure);
      const { state } = request.query as Record<string, unknown>;
      return { failure, beginning: this.states.beginning(state) };
    }
  }

  /** A login that the user gave up, or a stranger made up, has no cause, and would only fill the log. */
  private report({ id }: Provider, { reason, cause }: LoginFailure): void {
    if (cause === undefined) return;
    const fields = { event: 'idp.callback_failed', provider: id, reason, err: cause };
    this.logger.warn(fields, 'The identity provider did not complete a login.');
  }

  /** Looks at the state before all else: without a good one, the rest may come from any stranger. */
  private async finish(
    provider: Provider,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<IdpSuccess> {
    await this.count(request);
    const query = request.query as Record<string, unknown>;
    const { flow, verifier, begunAt } = await this.states.redeem(query.state, provider, request, reply);
    const endpoints = await provider.endpoints();
    const code = codeIn(query, provider, endpoints);
    const since = flow.formerSession === null ? null : begunAt;
    return { provider, flow, ...(await loginFor(code, { verifier, since }, provider, endpoints)) };
  }

  /** A 429 would be a dead end: the browser stands at this address, with no page of the application around it. */
  private async count(request: FastifyRequest): Promise<void> {
    try {
      await this.limits.takeOfNetwork('callbackPerNetwork', actorOf(request).ip);
    } catch (error) {
      throw error instanceof TooManyRequests ? new LoginFailure('too_many_requests') : error;
    }
  }
}

/**
 * The code that a provider answered with. Refuses what comes from another provider (RFC 9207 §2.4), what ours refused,
 * and what is no answer of either kind.
 */
function codeIn(
  { code, error, iss }: Record<string, unknown>,
  { issuer }: Provider,
  { namesIssuer }: Endpoints,
): string {
  const isOurs = iss === undefined ? !namesIssuer : iss === issuer;
  if (!isOurs) throw new LoginFailure('invalid_state');
  if (isCancelled(error)) throw new LoginFailure('access_denied');
  if (typeof error === 'string' && error !== '')
    throw new LoginFailure('provider_error', refusedAuthorization(error));
  if (typeof code !== 'string' || code === '') throw new LoginFailure('invalid_state');
  return code;
}
