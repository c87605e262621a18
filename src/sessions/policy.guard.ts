import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../http/caller.js';
import { rulesOf } from '../http/route-rules.js';
import { OrgEntries } from './org-entries.js';
import { PolicyRule } from './policy-rule.js';

/** Refuses requests into an organization of a session that lacks what the organization asks for. */
@Injectable()
export class PolicyGuard implements CanActivate {
  constructor(
    private readonly policy: PolicyRule,
    private readonly entries: OrgEntries,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { isPersonal, isIntoOrg } = rulesOf(context);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { caller } = request;
    return !caller || isPersonal || isIntoOrg?.(request) === false || this.enter(caller, request);
  }

  private async enter(caller: Caller, request: FastifyRequest): Promise<boolean> {
    await this.policy.assertMet(caller);
    this.entries.note(caller, request);
    return true;
  }
}
