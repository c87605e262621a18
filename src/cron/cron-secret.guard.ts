import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { Unauthenticated } from '../errors/errors.js';
import { isSameSecret } from '../secrets/same-secret.js';

/** Admits who presents `SVC_CRON_SECRET` as a bearer token. */
@Injectable()
export class CronSecretGuard implements CanActivate {
  constructor(private readonly environment: Environment) {}

  canActivate(context: ExecutionContext): boolean {
    const { cronSecret = '' } = this.environment;
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    const presented = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    if (!cronSecret || !isSameSecret(presented, cronSecret)) throw new Unauthenticated();
    return true;
  }
}
