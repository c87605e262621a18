import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { NotFound } from './errors.js';

/**
 * Answers for a path that the app mode, or a missing setting, closes as for one that does not exist.
 *
 * A hook in `start/app.ts` asks first, when the headers have arrived: guards run after the body is read, and a 413 or 415
 * would show a stranger that the path exists.
 */
@Injectable()
export class AppModeGuard implements CanActivate {
  constructor(private readonly environment: Environment) {}

  canActivate(context: ExecutionContext): boolean {
    this.refuseClosed(context.switchToHttp().getRequest<FastifyRequest>());
    return true;
  }

  /** Throws NotFound for a path that is unknown or closed. */
  refuseClosed(request: FastifyRequest): void {
    const { isOpen } = request.routeOptions.config;
    if (request.is404 || isOpen?.(this.environment) === false) throw new NotFound();
  }
}
