import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import type { Problem } from './problem.js';
import { problemBody } from './problem-body.js';
import { problemOf } from './problem-of.js';

/** Hears of every problem that a client was answered. */
type ProblemListener = (problem: Problem, request: FastifyRequest) => void;

/** Turns whatever is thrown into application/problem+json (RFC 9457), and logs what is our fault. */
@Catch()
@Injectable()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  private readonly listeners: ProblemListener[] = [];

  constructor(private readonly environment: Environment) {}

  /** Has a listener called after each answer; what it throws would end the process. */
  onProblem(listener: ProblemListener): void {
    this.listeners.push(listener);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const problem = problemOf(error);
    if (problem.getStatus() >= 500)
      this.logger.error({ err: problem.cause ?? error, request_id: request.id });

    reply
      .code(problem.getStatus())
      .headers(problem.extras.headers ?? {})
      .type('application/problem+json')
      .send(problemBody(problem, request.id, this.environment.baseApiUrl));
    for (const listener of this.listeners) listener(problem, request);
  }
}
