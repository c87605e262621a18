import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NetworkLimit } from '../config/environment.js';
import { actorOf, callerOf, countedAs } from '../http/caller.js';
import type { RouteLimit } from '../http/route.js';
import { rulesOf } from '../http/route-rules.js';
import type { Counted } from './limit-counter.repository.js';
import { Limits } from './limits.js';
import { rateLimitFields } from './rate-limit-fields.js';

/**
 * Refuses requests beyond the route's `@Limited` before they cost anything. Answers to the others name what is left.
 */
@Injectable()
export class LimitGuard implements CanActivate {
  constructor(private readonly limits: Limits) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { limit } = rulesOf(context);
    return limit === undefined || this.isWithin(limit, context);
  }

  private async isWithin(name: RouteLimit, context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const counts = await this.take(name, http.getRequest<FastifyRequest>());
    http.getResponse<FastifyReply>().headers(rateLimitFields(counts));
    return true;
  }

  private take(name: RouteLimit, request: FastifyRequest): Promise<Counted[]> {
    if (isOfNetwork(name)) return this.limits.takeOfNetwork(name, actorOf(request).ip);
    return this.limits.take(name, request.key?.id ?? countedAs(callerOf(request)));
  }
}

function isOfNetwork(name: RouteLimit): name is NetworkLimit {
  return name.endsWith('PerNetwork');
}
