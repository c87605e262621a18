import { Controller, Get, Head, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenWhen } from '../../access/app-mode.guard.js';
import type { Actor } from '../../audit/audit.js';
import { MethodNotAllowed } from '../../errors/errors.js';
import { Limited } from '../../limits/limit.guard.js';
import { By } from '../../sessions/caller.js';
import { Public } from '../../sessions/session.guard.js';
import { LoginCookies } from '../login-cookies.js';
import { AuthorizeGuard } from './authorize.guard.js';
import { CallbackGuard } from './callback.guard.js';
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
  authorizeUrl(@Req() { authorizationUrl }: FastifyRequest) {
    return { authorization_url: authorizationUrl };
  }

  /** What only looks must not use the state up. */
  @Head('callback')
  @WithProvider()
  head() {
    throw new MethodNotAllowed('GET');
  }

  @Get('callback')
  @WithProvider()
  @UseGuards(CallbackGuard)
  async callback(@Req() request: FastifyRequest, @By() by: Actor, @Res() reply: FastifyReply) {
    const outcome = request.idpOutcome ?? new LoginFailure('provider_error');
    const visitor = { ...by, ...this.cookies.read(request) };
    const { location, admission } = await this.logins.land(outcome, visitor);
    if (admission) this.cookies.set(reply, admission);
    reply.redirect(location, 302);
  }
}
