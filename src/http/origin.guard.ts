import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { allowedOrigins } from '../config/origins.js';
import { pageOrigins } from '../config/pages.js';
import { OriginNotAllowed } from './errors.js';
import { rulesOf } from './route-rules.js';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses what a page of a foreign origin makes a browser send (CSRF): of any but the application's and, while the
 * service has pages, its own. Browsers name the origin in every unsafe request, or at least say that it is cross-site; a
 * client that says neither is not a browser.
 *
 * A request that stands for another, to a back end of the application, is judged whatever its method: browsers name the
 * origin in a WebSocket's handshake too, and not where a person follows a link from another site. The service's own pages
 * call no such back end.
 */
@Injectable()
export class OriginGuard implements CanActivate {
  private readonly ofApplication: ReadonlySet<string>;
  private readonly own: ReadonlySet<string>;

  constructor(environment: Environment) {
    this.ofApplication = allowedOrigins(environment);
    this.own = new Set(pageOrigins(environment));
  }

  canActivate(context: ExecutionContext): boolean {
    const { method, headers } = context.switchToHttp().getRequest<FastifyRequest>();
    const { standsForOthers } = rulesOf(context);
    if (SAFE_METHODS.includes(method) && !standsForOthers) return true;

    const isAllowed =
      headers.origin === undefined
        ? headers['sec-fetch-site'] !== 'cross-site' || (standsForOthers && isNavigation(headers))
        : this.ofApplication.has(headers.origin) || (!standsForOthers && this.own.has(headers.origin));
    if (!isAllowed) throw new OriginNotAllowed();
    return true;
  }
}

function isNavigation(headers: FastifyRequest['headers']): boolean {
  return headers['sec-fetch-mode'] === 'navigate';
}
