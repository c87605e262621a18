import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../http/caller.js';
import { rulesOf } from '../http/route-rules.js';
import { Permissions } from './permissions.js';
import { rightsOf } from './rights.js';

/** Refuses a user who lacks a permission of the route's `@Requires`. */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(private readonly permissions: Permissions) {}

  canActivate(context: ExecutionContext): boolean {
    const { permissions, isPersonal } = rulesOf(context);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (permissions.length === 0 || request.key) return true;
    const caller = callerOf(request);
    const ofPerson = { role: caller.user.ownRole, given: null };
    this.permissions.assertHeld(permissions, isPersonal ? ofPerson : rightsOf(caller));
    return true;
  }
}
