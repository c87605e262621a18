import { Body, Controller, Delete, Get, Post, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Actor, By } from '../../http/caller.js';
import {
  AccountDisabled,
  CodesUnavailable,
  InvalidCode,
  TooManyAttempts,
  TooManyRequests,
  TotpAlreadyOn,
  Unauthenticated,
} from '../../http/errors.js';
import { Answers, ByPendingLogin, Operation, Personal, Problems, Public } from '../../http/route.js';
import { FromCookie } from '../../http/secret-cookie.js';
import { PendingLoginSchema, pendingLoginView } from '../../sessions/pending-login.view.js';
import { count, list, text } from '../../validation/schema.js';
import type { PresentedTokens } from '../login/admission.service.js';
import { CompletesLogin } from '../login/login.interceptor.js';
import { LoginCookies } from '../login/login-cookies.js';
import { LogoutService } from '../login/logout.service.js';
import { CodesService } from './codes.service.js';
import { CurrentPendingLogin, type FoundLogin, PendingLoginGuard } from './pending-login.guard.js';
import { PendingLoginsService } from './pending-logins.service.js';
import { ConfirmTotp, SecondFactorCode } from './second-factor.dto.js';

/** Opened by the cookie of a login that lacks its second step. */
@Personal()
@Controller('auth/pending-login')
@Public()
@ByPendingLogin()
@UseGuards(PendingLoginGuard)
@Problems([Unauthenticated])
export class PendingLoginController {
  constructor(
    private readonly logins: PendingLoginsService,
    private readonly logouts: LogoutService,
    private readonly codes: CodesService,
    private readonly cookies: LoginCookies,
  ) {}

  @Get()
  @Operation('getPendingLogin', 'The login of this browser that lacks its second step.')
  @Answers(200, { pending_login: PendingLoginSchema })
  async get(@CurrentPendingLogin() pending: FoundLogin) {
    return { pending_login: pendingLoginView(await this.logins.get(pending)) };
  }

  @Delete()
  @Operation(
    'cancelLogin',
    'Gives up the login of this browser that lacks its second step, and clears its cookie.',
  )
  @Answers(204)
  async cancel(
    @CurrentPendingLogin() { tokenHash }: FoundLogin,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    await this.logouts.cancel(tokenHash, by);
    this.cookies.clearPending(reply);
  }

  @Post('second-factor')
  @Operation(
    'completeLogin',
    'Takes the second step with exactly one code; starts a session and sets its cookie.',
  )
  @CompletesLogin({ recovery_codes_left: count })
  @Problems([InvalidCode, AccountDisabled, TooManyAttempts, TooManyRequests, CodesUnavailable])
  async complete(
    @CurrentPendingLogin() pending: FoundLogin,
    @Body() body: SecondFactorCode,
    @FromCookie(LoginCookies) presented: PresentedTokens,
    @By() by: Actor,
  ) {
    const typed = this.codes.typed(body);
    const { login, recoveryCodesLeft } = await this.logins.complete(pending, presented, typed, by);
    return { admission: login, recovery_codes_left: recoveryCodesLeft };
  }

  @Post('totp')
  @Operation(
    'beginLoginTotp',
    'A secret for an authenticator app, for a user who must have a factor and has none.',
  )
  @Answers(200, { secret: text, uri: text })
  @Problems([TotpAlreadyOn, TooManyRequests])
  async beginSetUp(@CurrentPendingLogin() pending: FoundLogin, @By() by: Actor) {
    const { secret, uri } = await this.logins.beginSetUp(pending, by);
    return { secret, uri };
  }

  @Post('totp/confirm')
  @Operation(
    'confirmLoginTotp',
    'Adds the authenticator app that shows the code; starts a session and sets its cookie.',
  )
  @CompletesLogin({ recovery_codes: list(text) })
  @Problems([InvalidCode, TotpAlreadyOn, AccountDisabled, TooManyAttempts, TooManyRequests, CodesUnavailable])
  async completeSetUp(
    @CurrentPendingLogin() pending: FoundLogin,
    @Body() { code }: ConfirmTotp,
    @FromCookie(LoginCookies) presented: PresentedTokens,
    @By() by: Actor,
  ) {
    const { login, recoveryCodes } = await this.logins.completeSetUp(pending, presented, code, by);
    return { admission: login, recovery_codes: recoveryCodes };
  }
}
