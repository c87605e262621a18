import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { OrgsRepository } from '../accounts/orgs.repository.js';
import type { Caller } from '../http/caller.js';
import { NotAMember, NotFound, OrgRequired, ValidationFailed } from '../http/errors.js';
import { assertActive, callerIn, foreignOrgOf, namedIn } from '../http/org-of-request.js';
import { fieldError } from '../http/problem.js';
import { Role } from '../http/role.js';
import { type RouteRules, rulesOf } from '../http/route-rules.js';

/**
 * Finds the organization that a request is for: that of its path, else the one that it names, else the only one of the
 * caller. It answers for an organization that the caller does not belong to as for one that does not exist, and runs
 * before the RolesGuard, whose 403 would give away that there is one.
 */
@Injectable()
export class TenancyGuard implements CanActivate {
  constructor(private readonly orgs: OrgsRepository) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const rules = rulesOf(context);
    const { caller } = request;
    const { org_id: inPath } = (request.params ?? {}) as { org_id?: string };
    if (!caller) return true;
    if (inPath !== undefined) return this.enterPath(request, caller, inPath.toLowerCase(), rules);
    return rules.isPersonal || this.enterNamed(request, caller, rules);
  }

  /**
   * Enters the organization of a path. Throws NotFound, MembershipSuspended, and ValidationFailed where the header names
   * another one.
   */
  private enterPath(
    request: FastifyRequest,
    caller: Caller,
    orgId: string,
    { isIntoOrg }: RouteRules,
  ): boolean {
    const named = namedIn(request.headers);
    // The client has mixed up two of its tabs.
    if (named !== null && named !== orgId)
      throw new ValidationFailed([fieldError('Latchkey-Org', { code: 'not_the_org_of_path' })]);
    // For a SYSTEM_ADMIN the parameter of the handler says what is wrong with it.
    if (!isUUID(orgId) && caller.user.ownRole === Role.SYSTEM_ADMIN) return true;

    const inside = isUUID(orgId) ? callerIn(caller, orgId) : null;
    if (!inside) throw new NotFound();
    enter(request, inside);
    if (isIntoOrg?.(request) !== false) assertActive(inside);
    return true;
  }

  /**
   * Enters the organization that a request names in its header, or none. Throws NotFound, MembershipSuspended, OrgRequired
   * and NotAMember.
   */
  private enterNamed(
    request: FastifyRequest,
    caller: Caller,
    { isIntoOrg, needsOrg }: RouteRules,
  ): boolean | Promise<boolean> {
    const inside = callerIn(caller, namedIn(request.headers));
    if (!inside) throw new NotFound();
    const foreign = foreignOrgOf(inside);
    if (foreign !== null) return this.enterForeign(request, inside, foreign);
    const { user, isOrgMissing } = inside;
    const isAdmin = user.ownRole === Role.SYSTEM_ADMIN;
    const mustName = isIntoOrg ? isIntoOrg(request) : needsOrg || !isAdmin;
    if (isOrgMissing && mustName) throw new OrgRequired();
    if (needsOrg && user.orgId === null) throw isAdmin ? new OrgRequired() : new NotAMember();
    enter(request, inside);
    assertActive(inside);
    return true;
  }

  /** Throws NotFound for an organization that a SYSTEM_ADMIN names and that does not exist. */
  private async enterForeign(request: FastifyRequest, inside: Caller, orgId: string): Promise<boolean> {
    if (!(await this.orgs.exists(orgId))) throw new NotFound();
    enter(request, inside);
    return true;
  }
}

/** Before anything refuses the request: a refusal is one of the organization that it is for. */
function enter(request: FastifyRequest, inside: Caller): void {
  request.caller = inside;
  request.orgId = inside.user.orgId;
}
