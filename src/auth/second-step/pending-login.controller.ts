import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, By } from '../../http/caller.js';
import {
  AccountDisabled,
  InvalidCode,
  TooManyAttempts,
  TooManyRequests,
  TotpAlreadyOn,
  Unauthenticated,
} from '../../http/errors.js';
import { Answers, Problems, Public, Summary } from '../../http/route.js';
import { PendingLoginSchema, pendingLoginView } from '../../sessions/pending-login.view.js';
import { PendingLoginCookie } from '../../sessions/pending-login-cookie.js';
import { SessionSchema, sessionView } from '../../sessions/session.view.js';
import { UserSchema, userView } from '../../users/user.view.js';
import { count, list, text } from '../../validation/schema.js';
import type { LoginResult } from '../admission.service.js';
import { LoginCookies } from '../login-cookies.js';
import { CodesService } from './codes.service.js';
import { PendingLoginsService } from './pending-logins.service.js';
import { ConfirmTotp, SecondFactorCode } from './second-step.dto.js';

/** Opened by the cookie of a login that lacks its second step, which a 401 clears. */
@Controller('auth/pending-login')
@Public()
@Problems([Unauthenticated])
export class PendingLoginController {
  constructor(
    private readonly logins: PendingLoginsService,
    private readonly codes: CodesService,
    private readonly cookie: PendingLoginCookie,
    private readonly cookies: LoginCookies,
  ) {}

  @Get()
  @Summary('The login of this browser that lacks its second step.')
  @Answers(200, { pending_login: PendingLoginSchema })
  get(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.orForget(request, reply, async () => ({
      pending_login: pendingLoginView(await this.logins.get(this.cookie.read(request))),
    }));
  }

  @Post('second-factor')
  @Summary('Takes the second step with exactly one code; starts a session and sets its cookie.')
  @Answers(200, { user: UserSchema, session: SessionSchema, recovery_codes_left: count })
  @Problems([Unauthenticated, InvalidCode, AccountDisabled, TooManyAttempts, TooManyRequests])
  complete(
    @Body() body: SecondFactorCode,
    @By() by: Actor,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const typed = this.codes.typed(body);
    return this.orForget(request, reply, async () => {
      const { login, recoveryCodesLeft } = await this.logins.complete(this.cookies.read(request), typed, by);
      return { ...this.loggedIn(reply, login), recovery_codes_left: recoveryCodesLeft };
    });
  }

  @Post('totp')
  @Summary('A secret for an authenticator app, for a user who must have a factor and has none.')
  @Answers(200, { secret: text, uri: text })
  @Problems([Unauthenticated, TotpAlreadyOn, TooManyRequests])
  beginSetUp(
    @By() by: Actor,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.orForget(request, reply, async () => {
      const { secret, uri } = await this.logins.beginSetUp(this.cookie.read(request), by);
      return { secret, uri };
    });
  }

  @Post('totp/confirm')
  @Summary('Adds the authenticator app by a code of it; starts a session and sets its cookie.')
  @Answers(200, { user: UserSchema, session: SessionSchema, recovery_codes: list(text) })
  @Problems([Unauthenticated, InvalidCode, TotpAlreadyOn, AccountDisabled, TooManyAttempts, TooManyRequests])
  completeSetUp(
    @Body() { code }: ConfirmTotp,
    @By() by: Actor,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.orForget(request, reply, async () => {
      const { login, recoveryCodes } = await this.logins.completeSetUp(this.cookies.read(request), code, by);
      return { ...this.loggedIn(reply, login), recovery_codes: recoveryCodes };
    });
  }

  private loggedIn(reply: FastifyReply, login: LoginResult) {
    this.cookies.set(reply, login);
    return { user: userView(login.user), session: sessionView(login.session, login.session.id) };
  }

  /** Clears the cookie of a login that is over. */
  private async orForget<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Unauthenticated && this.cookie.isPresent(request)) this.cookie.clear(reply);
      throw error;
    }
  }
}
