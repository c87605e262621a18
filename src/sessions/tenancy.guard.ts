import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { NotFound } from '../http/errors.js';
import { Role } from '../http/role.js';

/**
 * Answers for an organization that is not the caller's as for one that does not exist. It runs before the RolesGuard,
 * whose 403 would give away that there is one.
 */
@Injectable()
export class TenancyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { params, caller } = context.switchToHttp().getRequest<FastifyRequest>();
    const { org_id } = (params ?? {}) as { org_id?: string };
    if (org_id === undefined) return true;

    const isTheirs = caller?.user.orgId === org_id.toLowerCase() || caller?.user.role === Role.SYSTEM_ADMIN;
    if (!isTheirs) throw new NotFound();
    return true;
  }
}
