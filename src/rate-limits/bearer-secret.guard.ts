import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { actorOf } from '../http/caller.js';
import { idsOf } from '../http/correlation.js';
import { Unauthenticated } from '../http/errors.js';
import type { SecretSetting } from '../http/route.js';
import { rulesOf } from '../http/route-rules.js';
import { isOneOf } from '../secrets/same-secret.js';
import { Limits } from './limits.js';

const CHALLENGE = 'Bearer realm="latchkey"';

/**
 * Admits a caller who presents a secret of the route, current or former, as a bearer token. Counts and logs a wrong
 * secret, but does not count the right one, so that strangers cannot use up the attempts of the machine that has it.
 */
@Injectable()
export class BearerSecretGuard implements CanActivate {
  private readonly logger = new Logger(BearerSecretGuard.name);

  constructor(
    private readonly environment: Environment,
    private readonly limits: Limits,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { bearerSecret } = rulesOf(context);
    return bearerSecret === undefined || this.hasSecret(bearerSecret, context);
  }

  private async hasSecret(setting: SecretSetting, context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const presented = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (presented === undefined) throw refusal(CHALLENGE);
    if (isOneOf(presented, this.environment[setting] ?? [])) return true;

    await this.noteWrong(request);
    throw refusal(`${CHALLENGE}, error="invalid_token"`);
  }

  /** Does not log what the limit refuses, so that a stranger cannot fill the log. Throws TooManyRequests. */
  private async noteWrong(request: FastifyRequest): Promise<void> {
    await this.limits.takeOfNetwork('secretPerNetwork', actorOf(request).ip);
    const route = `${request.method} ${request.routeOptions.url}`;
    this.logger.warn(
      { event: 'bearer_secret.refused', ...idsOf(request), route, code: Unauthenticated.name },
      'A caller presented a wrong secret.',
    );
  }
}

/** RFC 6750 §3: what the route wants, and whether the caller presented a wrong secret. */
function refusal(challenge: string): Unauthenticated {
  return new Unauthenticated('Send the secret of this route in the header "Authorization: Bearer …".', {
    'www-authenticate': challenge,
  });
}
