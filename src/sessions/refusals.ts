import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Transactions } from '../audit/transactions.js';
import { type Actor, actorOf, type CallerUser } from '../http/caller.js';
import { idsOf } from '../http/correlation.js';
import { StepUpRequired } from '../http/errors.js';
import { ProblemFilter } from '../http/problem.filter.js';
import type { Problem } from '../http/problem.js';
import type { LimitCounterRepository } from '../rate-limits/limit-counter.repository.js';
import { Limits } from '../rate-limits/limits.js';
import { SessionCookie } from './session-cookies.js';
import { SessionsService } from './sessions.service.js';

const HOUR_SECONDS = 3600;

/** Records the requests of logged-in users that the service refused with a 403, except one that asks for a step-up. */
@Injectable()
export class Refusals {
  private readonly logger = new Logger(Refusals.name);
  private readonly recorded: LimitCounterRepository;

  constructor(
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly transactions: Transactions,
    limits: Limits,
    problems: ProblemFilter,
  ) {
    problems.onProblem((problem, request) => void this.note(problem, request));
    this.recorded = limits.counter('refusals', { max: 1, seconds: HOUR_SECONDS });
  }

  /** Called after the answer and not awaited, so that it must not throw. */
  private async note(problem: Problem, request: FastifyRequest): Promise<void> {
    if (problem.getStatus() !== 403 || problem instanceof StepUpRequired) return;
    // Taken before anything is awaited: a client that has hung up meanwhile no longer has an address.
    const by = actorOf(request);
    try {
      const user = await this.userOf(request);
      if (user) await this.record(user, problem.code, request, { ...by, userId: user.id });
    } catch (error) {
      const fields = { event: 'audit.refusal_failed', ...idsOf(request), err: error };
      this.logger.error(fields, 'The service could not record that it refused a request.');
    }
  }

  /** A request may have been refused before its session was looked at, or on a public route. */
  private async userOf(request: FastifyRequest): Promise<CallerUser | undefined> {
    if (request.caller) return request.caller.user;
    const token = this.cookie.read(request);
    return token === null ? undefined : (await this.sessions.resume(token))?.user;
  }

  /** Once an hour for each user, code and route: a client that keeps asking must not fill the table. */
  private async record(
    { id: userId, orgId }: CallerUser,
    code: string,
    { method, routeOptions }: FastifyRequest,
    by: Actor,
  ): Promise<void> {
    const route = `${method} ${routeOptions.url}`;
    const { taken } = await this.recorded.take(`${userId} ${code} ${route}`);
    if (taken > 1) return;
    await this.transactions.record('access.refused', by, { userId, orgId, details: { code, route } });
  }
}
