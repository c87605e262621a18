import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientOf } from '../sessions/caller.js';
import { type LimitName, Limits } from './limits.js';
import { networkOf } from './network.js';
import { rateLimitFields } from './rate-limit-fields.js';

/** A limit on what a request shows before its body is looked at. */
type RouteLimit = Extract<LimitName, `${string}${'PerNetwork' | 'PerUser'}`>;

/** The limit of a route. */
export const Limited = Reflector.createDecorator<RouteLimit>();

/** Refuses requests beyond the route's `@Limited`, before they cost anything, and tells the others what is left. */
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
    const points = await this.limits.take(name, subjectOf(name, http.getRequest<FastifyRequest>()));
    http.getResponse<FastifyReply>().headers(rateLimitFields(points));
    return true;
  }
}

function subjectOf(name: RouteLimit, request: FastifyRequest): string {
  const { caller } = request;
  return caller && name.endsWith('PerUser') ? caller.user.id : networkOf(clientOf(request).ip);
}
