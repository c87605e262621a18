import { Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Transactions } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { type Actor, actorOf, addressOf, type Caller, type CallerUser } from '../http/caller.js';
import { idsOf } from '../http/correlation.js';
import { MembershipSuspended, NotAMember, OrgRequired, StepUpRequired } from '../http/errors.js';
import { ProblemFilter } from '../http/problem.filter.js';
import type { Problem } from '../http/problem.js';
import type { LimitCounterRepository } from '../rate-limits/limit-counter.repository.js';
import { Limits } from '../rate-limits/limits.js';
import { SessionCookie } from './session-cookies.js';
import { SessionMetrics } from './session-metrics.js';
import { SessionsService } from './sessions.service.js';

const HOUR_SECONDS = 3600;

/**
 * Records the requests of logged-in users that the service refused with a 403, except one that asks for a recent proof. An
 * organization that asks for a second factor, or has suspended a member, wants to see who knocks.
 */
@Injectable()
export class Refusals {
  private readonly logger = new Logger(Refusals.name);
  private readonly recorded: LimitCounterRepository;

  constructor(
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly transactions: Transactions,
    private readonly environment: Environment,
    metrics: SessionMetrics,
    limits: Limits,
    problems: ProblemFilter,
  ) {
    problems.onProblem((problem, request) => {
      const reason = reasonOf(problem);
      if (reason) metrics.orgRefused.inc({ reason });
      void this.note(problem, request);
    });
    this.recorded = limits.counter('refusals', { max: 1, seconds: HOUR_SECONDS });
  }

  /** Called after the answer and not awaited, so that it must not throw. */
  private async note(problem: Problem, request: FastifyRequest): Promise<void> {
    if (problem.getStatus() !== 403 || isForProof(problem)) return;
    // Taken before anything is awaited: a client that has hung up meanwhile no longer has an address.
    const by = actorOf(request);
    try {
      const caller = await this.callerOf(request);
      if (!caller) return;
      const { user, session } = caller;
      const orgId = this.orgOf(problem, request, user);
      const byCaller = { ...by, userId: user.id, sessionId: session.id, adminId: session.acting?.actorId };
      await this.record({ id: user.id, orgId }, problem.code, request, byCaller);
    } catch (error) {
      const fields = { event: 'audit.refusal_failed', ...idsOf(request), err: error };
      this.logger.error(fields, 'The service could not record that it refused a request.');
    }
  }

  /** A request may have been refused before its session was looked at, or on a public route. */
  private async callerOf(request: FastifyRequest): Promise<Caller | null> {
    if (request.caller) return request.caller;
    const token = this.cookie.read(request);
    return token === null ? null : this.sessions.resume(token, addressOf(request.ip));
  }

  /**
   * Where a refusal is recorded. Of an organization that the user is no member of, no admin of theirs is to read; and where
   * users can belong to several, none reads what was not refused in theirs.
   */
  private orgOf(problem: Problem, { orgId = null }: FastifyRequest, user: CallerUser): string | null {
    if (problem instanceof NotAMember) return null;
    return this.environment.orgsPerUser === 1 ? user.orgId : orgId;
  }

  /** Once an hour for each person, organization, code and route: a client that keeps asking must not fill the table. */
  private async record(
    { id: userId, orgId }: Pick<CallerUser, 'id' | 'orgId'>,
    code: string,
    { method, routeOptions }: FastifyRequest,
    by: Actor,
  ): Promise<void> {
    const route = `${method} ${routeOptions.url}`;
    const { taken } = await this.recorded.take(`${by.adminId ?? userId} ${orgId} ${code} ${route}`);
    if (taken > 1) return;
    await this.transactions.record('access.refused', by, { userId, orgId, details: { code, route } });
  }
}

/** Why a request did not get into an organization. A 404 may be of anything else that is not there. */
function reasonOf(problem: Problem): 'none_named' | 'no_member' | 'suspended' | 'unmet' | null {
  if (problem instanceof OrgRequired) return 'none_named';
  if (problem instanceof NotAMember) return 'no_member';
  if (problem instanceof MembershipSuspended) return 'suspended';
  return problem.extras.members?.unmet === undefined ? null : 'unmet';
}

/** Whether a client asks its user for a recent proof, and sends the request again. */
function isForProof(problem: Problem): boolean {
  return problem instanceof StepUpRequired && problem.extras.members?.org_id === undefined;
}
