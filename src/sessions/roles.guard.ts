import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { InsufficientRole } from '../http/errors.js';
import { isAtLeast } from '../http/role.js';
import { rulesOf } from '../http/route-rules.js';

/** Refuses a user whose role in the organization of the request, or own role, is below the route's `@MinRole`. */
@Injectable()
export class RolesGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { minRole, isPersonal } = rulesOf(context);
    if (minRole === undefined) return true;

    const { caller, key } = context.switchToHttp().getRequest<FastifyRequest>();
    // It has no role: its permission has opened the route.
    if (key) return true;
    const role = isPersonal ? caller?.user.ownRole : caller?.user.role;
    if (!role || !isAtLeast(role, minRole)) throw new InsufficientRole();
    return true;
  }
}
