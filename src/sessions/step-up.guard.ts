import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../http/caller.js';
import { rulesOf } from '../http/route-rules.js';
import { StepUpRule } from './step-up-rule.js';

/**
 * Refuses what is dangerous to a session whose user last proved who they are more than ten minutes ago, or without the
 * second factor that a login takes by now. Their client asks for a proof (`POST /auth/step-up`), and sends the request again.
 */
@Injectable()
export class StepUpGuard implements CanActivate {
  constructor(private readonly stepUp: StepUpRule) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return !rulesOf(context).needsStepUp || this.isRecent(context);
  }

  private async isRecent(context: ExecutionContext): Promise<boolean> {
    await this.stepUp.assert(callerOf(context.switchToHttp().getRequest<FastifyRequest>()));
    return true;
  }
}
