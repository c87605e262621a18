import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, By } from '../../http/caller.js';
import { AccountDisabled, InvalidPasskey, UnknownPasskey } from '../../http/errors.js';
import { Answers, Limited, Operation, Personal, Problems, Public } from '../../http/route.js';
import { FromCookie } from '../../http/secret-cookie.js';
import { anything } from '../../validation/schema.js';
import type { PresentedTokens } from '../login/admission.service.js';
import { CompletesLogin } from '../login/login.interceptor.js';
import { LoginCookies } from '../login/login-cookies.js';
import { ChallengeCookie } from './challenges.js';
import { PasskeyLoginService } from './passkey-login.service.js';
import { WithPasskeys } from './passkeys.controller.js';
import { PasskeyLogin } from './passkeys.dto.js';

@Personal()
@Controller('auth/passkey')
@Public()
export class PasskeyLoginController {
  constructor(
    private readonly logins: PasskeyLoginService,
    private readonly challenge: ChallengeCookie,
  ) {}

  @Post('options')
  @WithPasskeys()
  @Limited('passkeyPerNetwork')
  @Operation(
    'beginPasskeyLogin',
    'What the browser asks a passkey with: PublicKeyCredentialRequestOptionsJSON.',
  )
  @Answers(200, { options: anything })
  async begin(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return { options: await this.logins.begin(this.challenge.renew(request, reply)) };
  }

  @Post('login')
  @WithPasskeys()
  @Limited('passkeyPerNetwork')
  @Operation(
    'passkeyLogin',
    'Logs in with a passkey; with `second_step` it also links what the login that waits in the browser links.',
  )
  @CompletesLogin({})
  @Problems([InvalidPasskey, UnknownPasskey, AccountDisabled])
  async login(
    @Body() body: PasskeyLogin,
    @FromCookie(ChallengeCookie) challenge: string | null,
    @FromCookie(LoginCookies) presented: PresentedTokens,
    @By() by: Actor,
  ) {
    return { admission: await this.logins.login(body, challenge, presented, by) };
  }
}
