import { Controller, Query, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessService } from '../access/access.service.js';
import { AccessSchema } from '../access/access.view.js';
import { Permissions } from '../access/permissions.js';
import { rightsOf } from '../access/rights.js';
import { OrgsRepository } from '../accounts/orgs.repository.js';
import { BillingCustomersRepository } from '../billing/billing-customers.repository.js';
import { CurrentCaller } from '../http/caller.js';
import {
  InsufficientPermission,
  InsufficientRole,
  MembershipSuspended,
  NotAMember,
  NotWhileActing,
  OrgPolicyUnmet,
  OrgRequired,
  OriginNotAllowed,
  StepUpRequired,
  UnknownAudience,
  ValidationFailed,
} from '../http/errors.js';
import { assertActive, callerIn, foreignOrgOf, namedIn } from '../http/org-of-request.js';
import { fieldError } from '../http/problem.js';
import { isAtLeast, Role } from '../http/role.js';
import {
  Answers,
  ForwardAuth,
  Operation,
  Personal,
  Problems,
  ReadsAccessWhen,
  WhileActing,
} from '../http/route.js';
import { isReading } from '../sessions/acting.guard.js';
import { OrgEntries } from '../sessions/org-entries.js';
import { PolicyRule } from '../sessions/policy-rule.js';
import { SessionSchema, sessionView } from '../sessions/session.view.js';
import type { ActiveSession } from '../sessions/sessions.service.js';
import { UserSchema, userView } from '../users/user.view.js';
import { flag, nullable } from '../validation/schema.js';
import { VerifyQuery } from './backends.dto.js';
import { identityHeaders } from './identity-headers.js';
import { LoginRedirect } from './login-redirect.js';
import { SessionTokens } from './session-tokens.js';

/** Longer than the proxy takes to pass a request on, and not longer: it asks anew for the next one. */
const ASSERTION_SECONDS = 60;

/** What of a rule asks for the custom role of the caller, or for a subscription. */
const ASKS: (keyof VerifyQuery)[] = ['subscription', 'access', 'permission'];

const IDENTITY = {
  user: UserSchema,
  session: SessionSchema,
  subscribed: nullable(flag),
  access: nullable(AccessSchema),
};

/**
 * Tells a product's own back ends who calls. A back end passes the cookie of its caller on and reads the body; a proxy in
 * front of it reads status and headers. The rule stands in the query, which is the proxy's: nothing is decided by what
 * the proxy says of the original request, because clients can forge that; except by its method, where the rule says that
 * the proxy writes it.
 */
@Personal()
@WhileActing('all')
@Controller('sessions/verify')
export class VerifyController {
  constructor(
    private readonly customers: BillingCustomersRepository,
    private readonly permissions: Permissions,
    private readonly access: AccessService,
    private readonly tokens: SessionTokens,
    private readonly orgs: OrgsRepository,
    private readonly policy: PolicyRule,
    private readonly entries: OrgEntries,
  ) {}

  @ForwardAuth()
  @ReadsAccessWhen(({ query }) => ASKS.some((field) => field in (query as object)))
  @UseFilters(LoginRedirect)
  @Operation('verifySession', 'Tells a back end, or a proxy in front of it, who calls.')
  @Answers({ 200: IDENTITY, 302: null })
  @Problems([
    UnknownAudience,
    InsufficientRole,
    InsufficientPermission,
    MembershipSuspended,
    NotAMember,
    NotWhileActing,
    OrgRequired,
    StepUpRequired,
    OrgPolicyUnmet,
    OriginNotAllowed,
  ])
  async verify(
    @CurrentCaller() sender: ActiveSession,
    @Query() rule: VerifyQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { min_role: minRole, subscription, audience, org, method } = rule;
    const needed = this.permissionsOf(rule);
    assertMayPass(sender, method === 'header' ? request.headers['x-forwarded-method'] : method);
    const named = org === 'header' ? namedIn(request.headers) : (org ?? null);
    const caller = callerIn(sender, named);
    // A proxy takes 200, 401 and 403 for a verdict: an organization of others is a 403 here, as is one that is not there.
    const foreign = caller && foreignOrgOf(caller);
    if (!caller || (foreign !== null && !(await this.orgs.exists(foreign)))) throw new NotAMember();
    if (caller.isOrgMissing && caller.user.ownRole !== Role.SYSTEM_ADMIN) throw new OrgRequired();
    // A refusal is one of that organization.
    request.caller = caller;
    request.orgId = caller.user.orgId;
    assertActive(caller);
    if (this.policy.isUnmet(caller)) throw await this.policy.refusalOf(caller);
    this.entries.note(caller, request);
    const { user, session } = caller;
    if (minRole && !isAtLeast(user.role, minRole)) throw new InsufficientRole();
    if (needed.length > 0) this.permissions.assertHeld(needed, rightsOf(caller));
    const subscribed = subscription ? await this.customers.isAdmitted(caller) : null;
    // It would be good for any method at any back end, so that an admin who may only look gets none.
    const mayAssert = session.acting?.mayWrite !== false;
    const assertion =
      audience && mayAssert ? this.tokens.sign(caller, audience, ASSERTION_SECONDS, needed).token : null;
    reply.headers(identityHeaders({ user, session, subscribed, assertion }));
    return {
      user: userView(user),
      session: sessionView(session, session.id),
      subscribed,
      access: rule.access ? await this.access.of(caller) : null,
    };
  }

  /** What a rule asks for. Throws ValidationFailed for a permission that is not declared: a mistyped rule admits no caller. */
  private permissionsOf({ permission }: VerifyQuery): string[] {
    const names = permission?.split(',') ?? [];
    if (names.every((name) => this.permissions.isDeclared(name))) return names;
    throw new ValidationFailed([fieldError('permission', { code: 'not_permissions' })]);
  }
}

/**
 * Throws NotWhileActing for an admin who may only look, unless the rule says that the request only reads. Of a rule that says
 * nothing of the method nobody knows.
 */
function assertMayPass({ session }: ActiveSession, method: unknown): void {
  const isLookingOnly = session.acting?.mayWrite === false;
  if (isLookingOnly && !(typeof method === 'string' && isReading(method))) throw new NotWhileActing();
}
