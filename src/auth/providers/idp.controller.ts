import { Controller, Get, Head, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, By } from '../../http/caller.js';
import { MethodNotAllowed, ServiceUnavailable } from '../../http/errors.js';
import { Answers, Limited, Operation, Personal, Problems, Public } from '../../http/route.js';
import { FromCookie } from '../../http/secret-cookie.js';
import { text } from '../../validation/schema.js';
import type { PresentedTokens } from '../login/admission.service.js';
import { LoginCookies } from '../login/login-cookies.js';
import { AuthorizeService } from './authorize.service.js';
import { AuthorizeQuery } from './idp.dto.js';
import { IdpGuard, Outcome } from './idp.guard.js';
import { IdpLoginService } from './idp-login.service.js';
import type { IdpOutcome } from './login-flows.js';
import { Providers, WithProvider } from './providers.js';

@Personal()
@Controller('auth/oauth/:provider')
@Public()
export class IdpController {
  constructor(
    private readonly providers: Providers,
    private readonly authorizations: AuthorizeService,
    private readonly logins: IdpLoginService,
    private readonly cookies: LoginCookies,
  ) {}

  @Get('authorize-url')
  @WithProvider()
  @Limited('idpPerNetwork')
  @Operation(
    'authorizeUrl',
    'Where the browser goes to log in through an identity provider. With a session the provider asks the user again; with one whose proof is recent the login also links an identity that was unlinked from that account.',
  )
  @Answers(200, { authorization_url: text })
  @Problems([ServiceUnavailable])
  async authorizeUrl(
    @Param('provider') name: string,
    @Query() query: AuthorizeQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const provider = this.providers.named(name);
    return { authorization_url: await this.authorizations.begin(provider, query, request, reply) };
  }

  /** A HEAD only looks, so it must not use the state up. */
  @Head('callback')
  @WithProvider()
  head(@Param('provider') name: string) {
    this.providers.named(name);
    throw new MethodNotAllowed('GET');
  }

  @Get('callback')
  @WithProvider()
  @UseGuards(IdpGuard)
  @Operation(
    'providerCallback',
    'Where an identity provider sends the browser back to; leads to where the login began, to the second step, to the login page, or back to the provider, which has to ask its user again.',
  )
  @Answers(302)
  async callback(
    @Outcome() outcome: IdpOutcome,
    @FromCookie(LoginCookies) presented: PresentedTokens,
    @By() by: Actor,
    @Res() reply: FastifyReply,
  ) {
    const { location, admission } = await this.logins.finish(outcome, presented, by, reply);
    if (admission) this.cookies.setAdmitted(reply, admission);
    reply.redirect(location, 302);
  }
}
