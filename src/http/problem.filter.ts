import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { idsOf } from './correlation.js';
import { type Problem, problemBody } from './problem.js';
import { problemOf } from './problem-of.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The problem that the service answered; undefined for any other answer. */
    problem?: Problem;
  }
}

const UNAVAILABLE = 503;
const UNANSWERED = 'The service could not do what a request asked for.';

/** Gets every problem that the service answered. */
type ProblemListener = (problem: Problem, request: FastifyRequest) => void;

/** Answers a problem in its own way; returns null where it leaves that to the filter, and rejects where it failed. */
type OwnAnswer = (problem: Problem, request: FastifyRequest, reply: FastifyReply) => Promise<void> | null;

/** Turns every error into application/problem+json (RFC 9457), and logs the errors of the service itself. */
@Catch()
@Injectable()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  private readonly listeners: ProblemListener[] = [];

  private ownAnswer: OwnAnswer = () => null;

  constructor(private readonly environment: Environment) {}

  /** Has some problems answered with something else, such as a page where a browser asked for one. */
  answerBy(ownAnswer: OwnAnswer): void {
    this.ownAnswer = ownAnswer;
  }

  /** Has a listener called after each answer. It must not throw: that would end the process. */
  onProblem(listener: ProblemListener): void {
    this.listeners.push(listener);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const problem = problemOf(error);
    request.problem = problem;
    if (problem.getStatus() >= 500 && !problem.extras.isExpected && !isOfClient(error, request))
      this.log(problem, error, request);

    const send = () => this.send(problem, request, reply);
    const own = this.ownAnswer(problem, request, reply);
    if (own === null) send();
    else own.catch(send);
    for (const listener of this.listeners) listener(problem, request);
  }

  private send(problem: Problem, request: FastifyRequest, reply: FastifyReply): void {
    reply
      .code(problem.getStatus())
      .headers(problem.extras.headers ?? {})
      .type('application/problem+json')
      .send(problemBody(problem, request.id, this.environment.baseApiUrl));
  }

  /** What will pass by itself is a warning, which says what was not there; only an error of our own has a stack. */
  private log(problem: Problem, error: unknown, request: FastifyRequest): void {
    const cause = problem.cause ?? error;
    const fields = { event: 'request.failed', ...idsOf(request), code: problem.code };
    if (problem.getStatus() === UNAVAILABLE)
      this.logger.warn({ ...fields, ...problem.extras.members, reason: reasonOf(cause) }, UNANSWERED);
    else this.logger.error({ ...fields, err: cause }, UNANSWERED);
  }
}

/** Whether a client hung up amid its body: Node ends the request with that error. */
function isOfClient(error: unknown, { raw }: FastifyRequest): boolean {
  return raw.errored !== null && raw.errored === error;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
