import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { NotFound, Unauthenticated } from '../errors/errors.js';
import { isSameSecret } from '../secrets/same-secret.js';

/** Admits who presents `SVC_CRON_SECRET` as a bearer token; without a secret there is nothing to call. */
@Injectable()
export class CronSecretGuard implements CanActivate {
  constructor(private readonly environment: Environment) {}

  canActivate(context: ExecutionContext): boolean {
    const { cronSecret } = this.environment;
    if (cronSecret === undefined) throw new NotFound();

    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    const presented = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    if (!isSameSecret(presented, cronSecret)) throw new Unauthenticated();
    return true;
  }
}
