import { Controller, Query, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ActiveSession } from '../accounts/sessions.repository.js';
import { BillingCustomersRepository } from '../billing/billing-customers.repository.js';
import { CurrentCaller } from '../http/caller.js';
import { InsufficientRole, OriginNotAllowed, UnknownAudience } from '../http/errors.js';
import { isAtLeast } from '../http/role.js';
import { Answers, ForwardAuth, Operation, Problems } from '../http/route.js';
import { SessionSchema, sessionView } from '../sessions/session.view.js';
import { UserSchema, userView } from '../users/user.view.js';
import { flag, nullable } from '../validation/schema.js';
import { VerifyQuery } from './backends.dto.js';
import { identityHeaders } from './identity-headers.js';
import { LoginRedirect } from './login-redirect.js';
import { SessionTokens } from './session-tokens.js';

/** Longer than the proxy takes to pass a request on, and not longer: it asks anew for the next one. */
const ASSERTION_SECONDS = 60;

const IDENTITY = { user: UserSchema, session: SessionSchema, subscribed: nullable(flag) };

/**
 * Tells a product's own back ends who calls. A back end passes the cookie of its caller on and reads the body; a proxy in
 * front of it reads status and headers. The rule stands in the query, which is the proxy's: nothing is decided by what
 * the proxy says of the original request, because clients can forge that.
 */
@Controller('sessions/verify')
export class VerifyController {
  constructor(
    private readonly customers: BillingCustomersRepository,
    private readonly tokens: SessionTokens,
  ) {}

  @ForwardAuth()
  @UseFilters(LoginRedirect)
  @Operation('verifySession', 'Tells a back end, or a proxy in front of it, who calls.')
  @Answers({ 200: IDENTITY, 302: null })
  @Problems([UnknownAudience, InsufficientRole, OriginNotAllowed])
  async verify(
    @CurrentCaller() caller: ActiveSession,
    @Query() { min_role: minRole, subscription, audience }: VerifyQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { user, session } = caller;
    if (minRole && !isAtLeast(user.role, minRole)) throw new InsufficientRole();
    const subscribed = subscription ? await this.customers.isAdmitted(user) : null;
    const assertion = audience ? this.tokens.sign(caller, audience, ASSERTION_SECONDS).token : null;
    reply.headers(identityHeaders({ user, session, subscribed, assertion }));
    return { user: userView(user), session: sessionView(session, session.id), subscribed };
  }
}
