import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, By } from '../http/caller.js';
import {
  AccountDisabled,
  AddressHasAccount,
  EmailNotVerified,
  InvalidCredentials,
  InvalidToken,
  PasswordRequired,
  TooManyAttempts,
  TooManyRequests,
  WeakPassword,
} from '../http/errors.js';
import { Answers, B2COnly, Limited, Operation, OrByPendingLogin, Problems, Public } from '../http/route.js';
import { PendingLoginSchema, pendingLoginView } from '../sessions/pending-login.view.js';
import { SessionSchema, sessionView } from '../sessions/session.view.js';
import { UserSchema, userView } from '../users/user.view.js';
import { address, flag } from '../validation/schema.js';
import { SecureAccountService } from './account/secure-account.service.js';
import { Address, Credentials, MailedToken, Signup, SignupOrg, VerifyEmail } from './auth.dto.js';
import type { Admission } from './login/admission.service.js';
import { LoginService } from './login/login.service.js';
import { LoginCookies } from './login/login-cookies.js';
import { LogoutService } from './login/logout.service.js';
import { SignupService } from './signup/signup.service.js';
import { SignupCookie } from './signup/signup-cookie.js';
import { VerificationService } from './signup/verification.service.js';

@Controller('auth')
export class AuthController {
  constructor(
    private readonly signups: SignupService,
    private readonly verification: VerificationService,
    private readonly logins: LoginService,
    private readonly securing: SecureAccountService,
    private readonly logouts: LogoutService,
    private readonly cookies: LoginCookies,
    private readonly signupCookie: SignupCookie,
  ) {}

  @Post('signup')
  @Public()
  @Limited('signupPerNetwork')
  @B2COnly()
  @Operation('signup', 'Signs up; the account is made once the link in the mail is opened.')
  @Answers(202, { email: address })
  @Problems([WeakPassword])
  signup(
    @Body() body: Signup,
    @By() by: Actor,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.start(body, by, request, reply);
  }

  @Post('signup-org')
  @Public()
  @Limited('signupPerNetwork')
  @B2COnly()
  @Operation('signupOrg', 'Signs up with an organization; both are made once the link in the mail is opened.')
  @Answers(202, { email: address })
  @Problems([WeakPassword])
  signupOrg(
    @Body() body: SignupOrg,
    @By() by: Actor,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.start(body, by, request, reply);
  }

  @Post('verify-email')
  @Public()
  @Operation(
    'verifyEmail',
    'Makes the account of a signup with the mailed token, and logs in; another browser than the one that signed up also states the password, or a new one.',
  )
  @Answers({
    200: { email: address, email_verified: flag, user: UserSchema, session: SessionSchema },
    202: { email: address, email_verified: flag, pending_login: PendingLoginSchema },
  })
  @Problems([InvalidToken, PasswordRequired, WeakPassword, TooManyRequests])
  async verifyEmail(
    @Body() body: VerifyEmail,
    @By() by: Actor,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const browserToken = this.signupCookie.read(request);
    const presented = this.cookies.read(request);
    const { email, admission } = await this.verification.verify(body, browserToken, presented, by);
    return { email, email_verified: true, ...this.admitted(admission, reply) };
  }

  @Post('verify-email/resend')
  @Public()
  @Limited('resendPerNetwork')
  @Operation(
    'resendVerification',
    'Mails another link to confirm an address, where there is a signup that waits for it.',
  )
  @Answers(202)
  async resendVerification(@Body() { email }: Address, @By() by: Actor, @Req() request: FastifyRequest) {
    await this.signups.resend(email, this.signupCookie.read(request), by);
  }

  @Post('secure-account')
  @Public()
  @Operation(
    'secureAccount',
    'Gives an account back to the reader of its mail: every session ends, and a mail asks for a new password. Ends a signup.',
  )
  @Answers(204)
  @Problems([InvalidToken, AddressHasAccount, TooManyRequests])
  async secureAccount(@Body() { token }: MailedToken, @By() by: Actor) {
    await this.securing.secure(token, by);
  }

  @Post('login')
  @Public()
  @Operation(
    'login',
    'Starts a session and sets its cookie; where the account takes a second step, a pending login with a cookie of its own.',
  )
  @Answers({
    200: { user: UserSchema, session: SessionSchema },
    202: { pending_login: PendingLoginSchema },
  })
  @Problems([InvalidCredentials, EmailNotVerified, AccountDisabled, TooManyAttempts, TooManyRequests])
  async login(
    @Body() body: Credentials,
    @By() by: Actor,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.admitted(await this.logins.login(body, this.cookies.read(request), by), reply);
  }

  @Post('logout')
  @OrByPendingLogin()
  @Operation('logout', 'Ends the session and the login that lacks its second step, and clears their cookies.')
  @Answers(204)
  async logout(
    @By() by: Actor,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.logouts.logout(request.caller ?? null, this.cookies.read(request), by);
    this.cookies.clear(reply);
  }

  /** Sets the cookies of what a login has come to, and answers 200 with a session, or 202 with a pending login. */
  private admitted(admission: Admission, reply: FastifyReply) {
    this.cookies.setAdmitted(reply, admission);
    if ('session' in admission) {
      reply.status(200);
      const { user, session } = admission;
      return { user: userView(user), session: sessionView(session, session.id) };
    }
    reply.status(202);
    return { pending_login: pendingLoginView(admission) };
  }

  /** Sets the cookie whatever the address: it tells nothing of an account. */
  private async start(body: Signup, by: Actor, request: FastifyRequest, reply: FastifyReply) {
    const presented = this.signupCookie.read(request);
    this.signupCookie.set(reply, await this.signups.signup(body, presented, by));
    return { email: body.email };
  }
}
