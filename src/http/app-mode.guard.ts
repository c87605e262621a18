import { Injectable } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { NotFound } from './errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    isOpen?: (environment: Environment) => boolean;
  }
}

/** Closes a route where the environment does not meet a condition. */
export const OpenWhen = (isOpen: (environment: Environment) => boolean): MethodDecorator =>
  RouteConfig({ isOpen });

/** Closes a route in B2B. */
export const B2COnly = (): MethodDecorator => OpenWhen(({ appMode }) => appMode === 'b2c');

/**
 * Answers for a path that the app mode, or a missing setting, closes as for one that does not exist.
 *
 * It runs when the headers have arrived, before Nest's guards and before the body is read: a 413 or 415 would give
 * away that there is something behind the path.
 */
@Injectable()
export class AppModeGuard {
  constructor(private readonly environment: Environment) {}

  check(request: FastifyRequest): void {
    const { isOpen } = request.routeOptions.config;
    if (request.is404 || isOpen?.(this.environment) === false) throw new NotFound();
  }
}
