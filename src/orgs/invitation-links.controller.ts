import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../audit/audit.js';
import { Limited } from '../limits/limit.guard.js';
import { By } from '../sessions/caller.js';
import { Public } from '../sessions/session.guard.js';
import { SessionCookie } from '../sessions/session-cookie.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { userView } from '../users/user.view.js';
import { AcceptanceService } from './acceptance.service.js';
import { InvitationsService } from './invitations.service.js';
import { AcceptInvitation, InvitationToken } from './orgs.dto.js';

/** What the page behind an invitation's link does. */
@Controller('invitations')
@Public()
@Limited('acceptPerNetwork')
export class InvitationLinksController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly acceptance: AcceptanceService,
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
  ) {}

  @Post('preview')
  @HttpCode(200)
  async preview(@Body() { token }: InvitationToken) {
    const { orgName, email, role, expiresAt, accountExists } = await this.invitations.preview(token);
    return { org_name: orgName, email, role, expires_at: expiresAt, account_exists: accountExists };
  }

  /** Public, because a new account has no session yet; a session is looked at where there is one. */
  @Post('accept')
  async accept(
    @Body() body: AcceptInvitation,
    @By() by: Actor,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const token = this.cookie.read(request);
    const caller = token ? await this.sessions.resume(token) : null;
    if (!caller && this.cookie.isPresent(request)) this.cookie.clear(reply);
    const { user, wasCreated } = await this.acceptance.accept(body, caller?.user ?? null, by);
    reply.status(wasCreated ? 201 : 200);
    return { user: userView(user) };
  }

  @Post('decline')
  @HttpCode(204)
  async decline(@Body() { token }: InvitationToken, @By() by: Actor) {
    await this.invitations.decline(token, by);
  }
}
