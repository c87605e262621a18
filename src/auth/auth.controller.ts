import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, By } from '../http/caller.js';
import {
  AccountDisabled,
  AddressHasAccount,
  EmailNotVerified,
  InvalidCode,
  InvalidCredentials,
  InvalidToken,
  PasswordRequired,
  TooManyAttempts,
  TooManyRequests,
  WeakPassword,
} from '../http/errors.js';
import {
  Answers,
  B2COnly,
  Limited,
  Operation,
  OrByPendingLogin,
  Personal,
  Problems,
  Public,
  WhileActing,
} from '../http/route.js';
import { FromCookie } from '../http/secret-cookie.js';
import { address, flag } from '../validation/schema.js';
import { SecureAccountService } from './account/secure-account.service.js';
import { Address, Credentials, MailedToken, Signup, SignupOrg, VerifyEmail } from './auth.dto.js';
import type { PresentedTokens } from './login/admission.service.js';
import { LogsIn } from './login/login.interceptor.js';
import { LoginService } from './login/login.service.js';
import { LoginCookies } from './login/login-cookies.js';
import { LogoutService } from './login/logout.service.js';
import { MailedCodes } from './mailed-codes/mailed-codes.js';
import { type PresentedBrowser, SignupService } from './signup/signup.service.js';
import { SignupCookies } from './signup/signup-cookies.js';
import { VerificationService } from './signup/verification.service.js';

@Personal()
@Controller('auth')
export class AuthController {
  constructor(
    private readonly signups: SignupService,
    private readonly verification: VerificationService,
    private readonly logins: LoginService,
    private readonly securing: SecureAccountService,
    private readonly logouts: LogoutService,
    private readonly cookies: LoginCookies,
    private readonly signupCookies: SignupCookies,
    private readonly codes: MailedCodes,
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
    @FromCookie(SignupCookies) presented: PresentedBrowser,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.start(body, presented, by, reply);
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
    @FromCookie(SignupCookies) presented: PresentedBrowser,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.start(body, presented, by, reply);
  }

  @Post('verify-email')
  @Public()
  @Operation(
    'verifyEmail',
    'Makes the account of a signup with the mailed token, or its code, and logs in; another browser than the one that signed up also states the password, or a new one.',
  )
  @LogsIn({ email: address, email_verified: flag })
  @Problems([InvalidToken, InvalidCode, PasswordRequired, WeakPassword, TooManyRequests])
  async verifyEmail(
    @Body() body: VerifyEmail,
    @FromCookie(SignupCookies) { browserToken, codeToken }: PresentedBrowser,
    @FromCookie(LoginCookies) presented: PresentedTokens,
    @By() by: Actor,
  ) {
    const { email, admission } = await this.codes.open('verify-email', body, codeToken, (token) =>
      this.verification.verify(token, body, browserToken, presented, by),
    );
    return { admission, email, email_verified: true };
  }

  @Post('verify-email/resend')
  @Public()
  @Limited('resendPerNetwork')
  @Operation(
    'resendVerification',
    'Mails another link to confirm an address, where there is a signup that waits for it.',
  )
  @Answers(202)
  async resendVerification(
    @Body() { email }: Address,
    @FromCookie(SignupCookies) presented: PresentedBrowser,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    this.signupCookies.setCode(reply, await this.signups.resend(email, presented, by));
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
  @LogsIn({})
  @Problems([InvalidCredentials, EmailNotVerified, AccountDisabled, TooManyAttempts, TooManyRequests])
  async login(
    @Body() body: Credentials,
    @FromCookie(LoginCookies) presented: PresentedTokens,
    @By() by: Actor,
  ) {
    return { admission: await this.logins.login(body, presented, by) };
  }

  @Post('logout')
  @WhileActing('all')
  @OrByPendingLogin()
  @Operation('logout', 'Ends the session and the login that lacks its second step, and clears their cookies.')
  @Answers(204)
  async logout(
    @FromCookie(LoginCookies) presented: PresentedTokens,
    @By() by: Actor,
    @Req() { caller }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.logouts.logout(caller ?? null, presented, by);
    this.cookies.clear(reply);
  }

  /** Sets the cookie whatever the address: it tells nothing of an account. */
  private async start(body: Signup, presented: PresentedBrowser, by: Actor, reply: FastifyReply) {
    this.signupCookies.set(reply, await this.signups.signup(body, presented, by));
    return { email: body.email };
  }
}
