import { Controller, Get, Head, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenWhen } from '../../access/app-mode.guard.js';
import type { Actor } from '../../audit/audit.js';
import { MethodNotAllowed } from '../../errors/errors.js';
import { By } from '../../sessions/caller.js';
import { Public } from '../../sessions/session.guard.js';
import { SessionCookie } from '../../sessions/session-cookie.js';
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
    private readonly cookie: SessionCookie,
  ) {}

  @Get('authorize-url')
  @WithProvider()
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
    const { location, token } = await this.logins.land(outcome, by, this.cookie.read(request));
    if (token !== null) this.cookie.set(reply, token);
    reply.redirect(location, 302);
  }
}
