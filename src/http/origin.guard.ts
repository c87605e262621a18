import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { allowedOrigins } from '../config/origins.js';
import { pageOrigins } from '../config/pages.js';
import { OriginNotAllowed } from './errors.js';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses what a page of a foreign origin makes a browser send (CSRF): of any but the application's and, while the
 * service has pages, its own. Browsers name the origin in every unsafe
 * request, or at least say that it is cross-site; a client that says neither is not a browser.
 */
@Injectable()
export class OriginGuard implements CanActivate {
  private readonly allowed: ReadonlySet<string>;

  constructor(environment: Environment) {
    this.allowed = new Set([...allowedOrigins(environment), ...pageOrigins(environment)]);
  }

  canActivate(context: ExecutionContext): boolean {
    const { method, headers } = context.switchToHttp().getRequest<FastifyRequest>();
    if (SAFE_METHODS.includes(method)) return true;

    const isAllowed =
      headers.origin === undefined
        ? headers['sec-fetch-site'] !== 'cross-site'
        : this.allowed.has(headers.origin);
    if (!isAllowed) throw new OriginNotAllowed();
    return true;
  }
}
