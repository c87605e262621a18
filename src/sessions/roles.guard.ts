import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { InsufficientRole } from '../http/errors.js';
import { isAtLeast } from '../http/role.js';
import { MinRole } from '../http/route.js';

/** Refuses a user whose role is below the route's `@MinRole`; admits everyone where there is none. */
@Injectable()
export class RolesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const required = this.reflector.getAllAndOverride(MinRole, [context.getHandler(), context.getClass()]);
    if (required === undefined) return true;

    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!caller || !isAtLeast(caller.user.role, required)) throw new InsufficientRole();
    return true;
  }
}
