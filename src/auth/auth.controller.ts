import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { B2COnly } from '../access/app-mode.guard.js';
import type { Actor } from '../audit/audit.js';
import { Limited } from '../limits/limit.guard.js';
import { By, CurrentSession, CurrentUser } from '../sessions/caller.js';
import { Session } from '../sessions/session.entity.js';
import { Public } from '../sessions/session.guard.js';
import { sessionView } from '../sessions/session.view.js';
import { SessionCookie } from '../sessions/session-cookie.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { User } from '../users/user.entity.js';
import { userView } from '../users/user.view.js';
import { Address, Credentials, MailedToken, Signup, SignupOrg } from './auth.dto.js';
import { LoginService } from './login.service.js';
import { LoginCookies } from './login-cookies.js';
import { SecureAccountService } from './secure-account.service.js';
import { SignupService } from './signup.service.js';
import { VerificationService } from './verification.service.js';

@Controller('auth')
export class AuthController {
  constructor(
    private readonly signups: SignupService,
    private readonly verification: VerificationService,
    private readonly logins: LoginService,
    private readonly securing: SecureAccountService,
    private readonly sessions: SessionsService,
    private readonly cookies: LoginCookies,
    private readonly sessionCookie: SessionCookie,
  ) {}

  @Post('signup')
  @Public()
  @Limited('signupPerNetwork')
  @B2COnly()
  @HttpCode(202)
  async signup(@Body() body: Signup, @By() by: Actor) {
    await this.signups.signup(body, by);
    return { email: body.email };
  }

  @Post('signup-org')
  @Public()
  @Limited('signupPerNetwork')
  @B2COnly()
  @HttpCode(202)
  async signupOrg(@Body() body: SignupOrg, @By() by: Actor) {
    await this.signups.signupOrg(body, by);
    return { email: body.email };
  }

  @Post('verify-email')
  @Public()
  @Limited('verifyPerNetwork')
  @HttpCode(200)
  async verifyEmail(@Body() { token }: MailedToken, @By() by: Actor) {
    return { email: await this.verification.verify(token, by), email_verified: true };
  }

  @Post('verify-email/resend')
  @Public()
  @Limited('resendPerNetwork')
  @HttpCode(202)
  async resendVerification(@Body() { email }: Address, @By() by: Actor) {
    await this.verification.resend(email, by);
  }

  @Post('secure-account')
  @Public()
  @Limited('verifyPerNetwork')
  @HttpCode(204)
  async secureAccount(@Body() { token }: MailedToken, @By() by: Actor) {
    await this.securing.secure(token, by);
  }

  @Post('login')
  @Public()
  @HttpCode(200)
  async login(
    @Body() body: Credentials,
    @By() by: Actor,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const visitor = { ...by, ...this.cookies.read(request) };
    const { user, session, ...tokens } = await this.logins.login(body, visitor);
    this.cookies.set(reply, tokens);
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
    this.sessionCookie.clear(reply);
  }
}
