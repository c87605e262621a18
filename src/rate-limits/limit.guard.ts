import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NetworkLimit } from '../config/environment.js';
import { actorOf, callerOf } from '../http/caller.js';
import { Limited, type RouteLimit } from '../http/route.js';
import { Limits } from './limits.js';
import type { Point } from './quota-counter.js';
import { rateLimitFields } from './rate-limit-fields.js';

/**
 * Refuses requests beyond the route's `@Limited` before they cost anything. Answers to the others name what is left.
 */
@Injectable()
export class LimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: Limits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const name = this.reflector.getAllAndOverride(Limited, [context.getHandler(), context.getClass()]);
    if (name === undefined) return true;

    const http = context.switchToHttp();
    const points = await this.take(name, http.getRequest<FastifyRequest>());
    http.getResponse<FastifyReply>().headers(rateLimitFields(points));
    return true;
  }

  private take(name: RouteLimit, request: FastifyRequest): Promise<Point[]> {
    if (isOfNetwork(name)) return this.limits.takeOfNetwork(name, actorOf(request).ip);
    return this.limits.take(name, callerOf(request).user.id);
  }
}

function isOfNetwork(name: RouteLimit): name is NetworkLimit {
  return name.endsWith('PerNetwork');
}
