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
    if (!caller || isPersonal || isIntoOrg?.(request) === false) return true;
    if (this.policy.isUnmet(caller)) return this.refuse(caller);
    this.entries.note(caller, request);
    return true;
  }

  private async refuse(caller: Caller): Promise<never> {
    throw await this.policy.refusalOf(caller);
  }
}
