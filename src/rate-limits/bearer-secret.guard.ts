import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Logger,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { clientOf } from '../http/caller.js';
import { Unauthenticated } from '../http/errors.js';
import { OpenWhen } from '../http/route.js';
import { isOneOf } from '../secrets/same-secret.js';
import { Limits } from './limits.js';

const CHALLENGE = 'Bearer realm="latchkey"';

/** The settings that a machine presents to be let in. */
type SecretSetting = 'cronSecret' | 'metricsToken';

/** The setting that opens a route. */
export const SecretOf = Reflector.createDecorator<SecretSetting>();

/** Opens a route to whoever presents a setting as a bearer token; where it is not set, the route is closed. */
export const BearerSecret = (setting: SecretSetting): MethodDecorator =>
  applyDecorators(
    OpenWhen((environment) => environment[setting] !== undefined),
    SecretOf(setting),
    UseGuards(BearerSecretGuard),
  );

/**
 * Admits a caller who presents a secret of the route, current or former, as a bearer token. The guard counts wrong ones
 * and tells of them in the log, but never the right one: a stranger must not use up the attempts of the scheduler.
 */
@Injectable()
class BearerSecretGuard implements CanActivate {
  private readonly logger = new Logger(BearerSecretGuard.name);

  constructor(
    private readonly reflector: Reflector,
    private readonly environment: Environment,
    private readonly limits: Limits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const secrets = this.environment[this.reflector.get(SecretOf, context.getHandler())];
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const presented = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (presented === undefined) throw refusal(CHALLENGE);
    if (secrets && isOneOf(presented, secrets)) return true;

    await this.noteWrong(request);
    throw refusal(`${CHALLENGE}, error="invalid_token"`);
  }

  /** What the limit refuses is not logged: a stranger could fill the log with it. Throws TooManyRequests. */
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
