import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InsufficientRole } from '../http/errors.js';
import { isAtLeast } from '../http/role.js';
import { rulesOf } from '../http/route-rules.js';

/** Refuses a user whose role is below the route's `@MinRole`; admits everyone where there is none. */
@Injectable()
export class RolesGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { minRole } = rulesOf(context);
    if (minRole === undefined) return true;

    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!caller || !isAtLeast(caller.user.role, minRole)) throw new InsufficientRole();
    return true;
  }
}
