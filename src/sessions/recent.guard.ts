import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Caller, callerOf } from '../http/caller.js';
import { StepUpRequired } from '../http/errors.js';
import { rulesOf } from '../http/route-rules.js';

/**
 * Refuses what is dangerous to a session whose user last proved who they are more than ten minutes ago. Their client asks
 * for a proof (`POST /auth/step-up`), and sends the request again.
 */
@Injectable()
export class RecentGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (rulesOf(context).needsRecent)
      assertRecent(callerOf(context.switchToHttp().getRequest<FastifyRequest>()));
    return true;
  }
}

/** Throws StepUpRequired, with the ways in which the user can prove who they are. */
export function assertRecent({ user, isRecent }: Caller): void {
  if (!isRecent) throw new StepUpRequired(user.passwordChangedAt === null ? [] : ['password']);
}
