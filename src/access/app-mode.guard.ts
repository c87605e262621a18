import { Injectable } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { NotFound } from '../errors/errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    b2cOnly?: boolean;
  }
}

/** Closes a route in B2B. */
export const B2COnly = (): MethodDecorator => RouteConfig({ b2cOnly: true });

/**
 * Answers for a path that the app mode closes as for one that does not exist.
 *
 * It runs when the headers have arrived, before Nest's guards and before the body is read: a 413 or 415 would
 * tell that there is something behind the path.
 */
@Injectable()
export class AppModeGuard {
  constructor(private readonly environment: Environment) {}

  check(request: FastifyRequest): void {
    const isClosed = this.environment.appMode === 'b2b' && request.routeOptions.config.b2cOnly;
    if (request.is404 || isClosed) throw new NotFound();
  }
}
