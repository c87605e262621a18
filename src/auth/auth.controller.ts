import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { B2COnly } from '../access/app-mode.guard.js';
import type { Actor } from '../audit/audit.js';
import { Answers, Problems, Summary } from '../docs/answers.js';
import { address, flag } from '../docs/schema.js';
import {
  AccountDisabled,
  EmailNotVerified,
  InvalidCredentials,
  InvalidToken,
  LastOrgAdmin,
  LastSystemAdmin,
  TooManyAttempts,
  TooManyRequests,
  WeakPassword,
} from '../errors/errors.js';
import { Limited } from '../limits/limit.guard.js';
import { By, CurrentSession, CurrentUser } from '../sessions/caller.js';
import { Session } from '../sessions/session.entity.js';
import { Public } from '../sessions/session.guard.js';
import { SessionSchema, sessionView } from '../sessions/session.view.js';
import { SessionCookie } from '../sessions/session-cookie.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { User } from '../users/user.entity.js';
import { UserSchema, userView } from '../users/user.view.js';
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
  @Summary('Makes an account; a mail asks to confirm its address.')
  @Answers(202, { email: address })
  @Problems([WeakPassword])
  async signup(@Body() body: Signup, @By() by: Actor) {
    await this.signups.signup(body, by);
    return { email: body.email };
  }

  @Post('signup-org')
  @Public()
  @Limited('signupPerNetwork')
  @B2COnly()
  @Summary('Makes an organization and the account of its admin; a mail asks to confirm the address.')
  @Answers(202, { email: address })
  @Problems([WeakPassword])
  async signupOrg(@Body() body: SignupOrg, @By() by: Actor) {
    await this.signups.signupOrg(body, by);
    return { email: body.email };
  }

  @Post('verify-email')
  @Public()
  @Limited('verifyPerNetwork')
  @Summary('Confirms an address with the token mailed to it.')
  @Answers(200, { email: address, email_verified: flag })
  @Problems([InvalidToken])
  async verifyEmail(@Body() { token }: MailedToken, @By() by: Actor) {
    return { email: await this.verification.verify(token, by), email_verified: true };
  }

  @Post('verify-email/resend')
  @Public()
  @Limited('resendPerNetwork')
  @Summary('Mails another link to confirm an address, where there is an account that needs it.')
  @Answers(202)
  async resendVerification(@Body() { email }: Address, @By() by: Actor) {
    await this.verification.resend(email, by);
  }

  @Post('secure-account')
  @Public()
  @Limited('verifyPerNetwork')
  @Summary(
    'Gives an account back to whoever reads its mail: every session ends, and a mail asks for a new password.',
  )
  @Answers(204)
  @Problems([InvalidToken, LastOrgAdmin, LastSystemAdmin])
  async secureAccount(@Body() { token }: MailedToken, @By() by: Actor) {
    await this.securing.secure(token, by);
  }

  @Post('login')
  @Public()
  @Summary('Starts a session and sets its cookie.')
  @Answers(200, { user: UserSchema, session: SessionSchema })
  @Problems([InvalidCredentials, EmailNotVerified, AccountDisabled, TooManyAttempts, TooManyRequests])
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
  @Summary('Ends the session and clears its cookie.')
  @Answers(204)
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
