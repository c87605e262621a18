import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { clientOf } from '../http/caller.js';
import { Unauthenticated } from '../http/errors.js';
import { SecretOf } from '../http/route.js';
import { isOneOf } from '../secrets/same-secret.js';
import { Limits } from './limits.js';

const CHALLENGE = 'Bearer realm="latchkey"';

/**
 * Admits a caller who presents a secret of the route, current or former, as a bearer token. Wrong ones are counted and
 * told in the log; the right one is not, so that strangers cannot use up the attempts of the machine that has it.
 */
@Injectable()
export class BearerSecretGuard implements CanActivate {
  private readonly logger = new Logger(BearerSecretGuard.name);

  constructor(
    private readonly reflector: Reflector,
    private readonly environment: Environment,
    private readonly limits: Limits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const setting = this.reflector.get(SecretOf, context.getHandler());
    if (setting === undefined) return true;

    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const presented = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (presented === undefined) throw refusal(CHALLENGE);
    if (isOneOf(presented, this.environment[setting] ?? [])) return true;

    await this.noteWrong(request);
    throw refusal(`${CHALLENGE}, error="invalid_token"`);
  }

  /** What the limit refuses is not logged: it would let a stranger fill the log. Throws TooManyRequests. */
  private async noteWrong(request: FastifyRequest): Promise<void> {
    await this.limits.takeOfNetwork('secretPerNetwork', clientOf(request).ip);
    const { id: request_id, method, routeOptions } = request;
    const route = `${method} ${routeOptions.url}`;
    this.logger.warn({ request_id, route, code: Unauthenticated.name }, 'a wrong secret was presented');
  }
}

/** RFC 6750 §3: what the route wants, and whether there was something wrong with what was presented. */
function refusal(challenge: string): Unauthenticated {
  return new Unauthenticated('Send the secret of this route in the header "Authorization: Bearer …".', {
    'www-authenticate': challenge,
  });
}
