import { Controller, Get, Head, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, By } from '../../http/caller.js';
import { MethodNotAllowed } from '../../http/errors.js';
import { Answers, Limited, OpenWhen, Public, Summary } from '../../http/route.js';
import { text } from '../../validation/schema.js';
import { LoginCookies } from '../login-cookies.js';
import { AuthorizeGuard, type BegunRequest } from './authorize.guard.js';
import { CallbackGuard } from './callback.guard.js';
import { AuthorizeQuery } from './idp.dto.js';
import { IdpLoginService } from './idp-login.service.js';
import { LoginFailure } from './login-failure.js';

/** Without a client id there is no provider to log in through. */
const WithProvider = () => OpenWhen(({ idpClientId }) => idpClientId !== undefined);

@Controller('auth/oauth/idp')
@Public()
export class IdpController {
  constructor(
    private readonly logins: IdpLoginService,
    private readonly cookies: LoginCookies,
  ) {}

  @Get('authorize-url')
  @WithProvider()
  @Limited('idpPerNetwork')
  @UseGuards(AuthorizeGuard)
  @Summary('Where the browser goes to log in through the identity provider.')
  @Answers(200, { authorization_url: text })
  authorizeUrl(@Req() { authorizationUrl }: BegunRequest, @Query() _checkedByGuard: AuthorizeQuery) {
    return { authorization_url: authorizationUrl };
  }

  /** A HEAD only looks, so it must not use the state up. */
  @Head('callback')
  @WithProvider()
  head() {
    throw new MethodNotAllowed('GET');
  }

  @Get('callback')
  @WithProvider()
  @UseGuards(CallbackGuard)
  @Summary(
    'Where the identity provider sends the browser back to; leads to the SPA: where the login began, to the second step, or to the login page.',
  )
  @Answers(302)
  async callback(@Req() request: FastifyRequest, @By() by: Actor, @Res() reply: FastifyReply) {
    const outcome = request.idpOutcome ?? new LoginFailure('provider_error');
    const { location, admission } = await this.logins.finish(outcome, this.cookies.read(request), by);
    if (admission) this.cookies.setAdmitted(reply, admission);
    reply.redirect(location, 302);
  }
}
