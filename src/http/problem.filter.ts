import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { Refusals } from '../sessions/refusals.js';
import { problemBody } from './problem-body.js';
import { problemOf } from './problem-of.js';

/** Turns whatever is thrown into application/problem+json (RFC 9457), and logs what is our fault. */
@Catch()
@Injectable()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  constructor(
    private readonly environment: Environment,
    private readonly refusals: Refusals,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const problem = problemOf(error);
    if (problem.getStatus() >= 500) this.logger.error({ err: error, request_id: request.id });

    reply
      .code(problem.getStatus())
      .headers(problem.extras.headers ?? {})
      .type('application/problem+json')
      .send(problemBody(problem, request.id, this.environment.baseApiUrl));
    void this.refusals.note(problem, request);
  }
}
