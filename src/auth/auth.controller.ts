import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { B2COnly } from '../access/app-mode.guard.js';
import type { Actor } from '../audit/audit.js';
import { By, CurrentClient, CurrentSession, CurrentUser } from '../sessions/caller.js';
import { Session } from '../sessions/session.entity.js';
import { Public } from '../sessions/session.guard.js';
import { sessionView } from '../sessions/session.view.js';
import { SessionCookie } from '../sessions/session-cookie.js';
import { type Client, SessionsService } from '../sessions/sessions.service.js';
import { User } from '../users/user.entity.js';
import { userView } from '../users/user.view.js';
import { Address, Credentials, Signup, SignupOrg, VerifyEmail } from './auth.dto.js';
import { LoginService } from './login.service.js';
import { SignupService } from './signup.service.js';
import { VerificationService } from './verification.service.js';

@Controller('auth')
export class AuthController {
  constructor(
    private readonly signups: SignupService,
    private readonly verification: VerificationService,
    private readonly logins: LoginService,
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
  ) {}

  @Post('signup')
  @Public()
  @B2COnly()
  @HttpCode(202)
  async signup(@Body() body: Signup, @By() by: Actor) {
    await this.signups.signup(body, by);
    return { email: body.email };
  }

  @Post('signup-org')
  @Public()
  @B2COnly()
  @HttpCode(202)
  async signupOrg(@Body() body: SignupOrg, @By() by: Actor) {
    await this.signups.signupOrg(body, by);
    return { email: body.email };
  }

  @Post('verify-email')
  @Public()
  @HttpCode(200)
  async verifyEmail(@Body() { token }: VerifyEmail, @By() by: Actor) {
    return { email: await this.verification.verify(token, by), email_verified: true };
  }

  @Post('verify-email/resend')
  @Public()
  @HttpCode(202)
  async resendVerification(@Body() { email }: Address) {
    await this.verification.resend(email);
  }

  @Post('login')
  @Public()
  @HttpCode(200)
  async login(
    @Body() body: Credentials,
    @CurrentClient() client: Client,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { user, session, token } = await this.logins.login(body, client, this.cookie.read(request));
    this.cookie.set(reply, token);
    return { user: userView(user), session: sessionView(session, session.id) };
  }

  @Post('logout')
  @HttpCode(204)
  async logout(
    @CurrentUser() user: User,
    @CurrentSession() session: Session,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.sessions.end(user, session, by);
    this.cookie.clear(reply);
  }
}
