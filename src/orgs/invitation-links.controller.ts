import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, By } from '../http/caller.js';
import {
  AlreadyInOrganization,
  AlreadyMember,
  InvalidToken,
  InvitationEmailMismatch,
  NotWhileActing,
  TooManyOrganizations,
  TooManyRequests,
  Unauthenticated,
  WeakPassword,
} from '../http/errors.js';
import { Role } from '../http/role.js';
import { Answers, Operation, Problems, Public } from '../http/route.js';
import { SessionCookie } from '../sessions/session-cookies.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { UserSchema, userView } from '../users/user.view.js';
import { address, flag, instant, nullable, oneOf, text } from '../validation/schema.js';
import { InvitationLinksService } from './invitation-links.service.js';
import { AcceptInvitation, InvitationToken } from './orgs.dto.js';

const PREVIEW = {
  org_name: text,
  /** What the mail calls who invites; null once their account is gone. */
  inviter: nullable(text),
  email: address,
  role: oneOf(Object.values(Role)),
  expires_at: instant,
  account_exists: flag,
};

/** What the page behind an invitation's link does. */
@Controller('invitations')
@Public()
@Problems([InvalidToken, TooManyRequests])
export class InvitationLinksController {
  constructor(
    private readonly links: InvitationLinksService,
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
  ) {}

  @Post('preview')
  @Operation('previewInvitation', 'What an invitation offers, and whether its address has an account.')
  @Answers(200, PREVIEW)
  async preview(@Body() { token }: InvitationToken, @By() by: Actor) {
    const { orgName, inviter, email, role, expiresAt, accountExists } = await this.links.preview(token, by);
    return {
      org_name: orgName,
      inviter,
      email,
      role,
      expires_at: expiresAt,
      account_exists: accountExists,
    };
  }

  /** Public, because a new account has no session yet; a session is looked at where there is one. */
  @Post('accept')
  @Operation(
    'acceptInvitation',
    'Joins the organization, with a new account or with the account that is logged in.',
  )
  @Answers({ 201: { user: UserSchema }, 200: { user: UserSchema } })
  @Problems([
    WeakPassword,
    Unauthenticated,
    InvitationEmailMismatch,
    AlreadyMember,
    AlreadyInOrganization,
    TooManyOrganizations,
    NotWhileActing,
  ])
  async accept(
    @Body() body: AcceptInvitation,
    @By() by: Actor,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const token = this.cookie.read(request);
    const caller = token ? await this.sessions.resume(token, by.ip) : null;
    if (!caller && this.cookie.isPresent(request)) this.cookie.clear(reply);
    if (caller?.session.acting) throw new NotWhileActing();
    const sender = { ...by, sessionId: caller?.session.id ?? null };
    const { user, wasCreated } = await this.links.accept(body, caller, sender);
    reply.status(wasCreated ? 201 : 200);
    return { user: userView(user) };
  }

  @Post('decline')
  @Operation('declineInvitation', 'Turns an invitation down.')
  @Answers(204)
  async decline(@Body() { token }: InvitationToken, @By() by: Actor) {
    await this.links.decline(token, by);
  }
}
