import { Body, Controller, Delete, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import {
  type Actor,
  By,
  type Caller,
  type CallerUser,
  CurrentCaller,
  CurrentUser,
} from '../../http/caller.js';
import { LastLoginMethod, NotFound, ServiceUnavailable } from '../../http/errors.js';
import { IdParam } from '../../http/id-param.js';
import { PageQuery, pageFields } from '../../http/page.js';
import { Answers, Limited, Operation, Personal, Problems, RequiresStepUp } from '../../http/route.js';
import { text } from '../../validation/schema.js';
import { AuthorizeService } from './authorize.service.js';
import { IdentitiesService } from './identities.service.js';
import { IdentitySchema, identityView } from './identity.view.js';
import { LinkIdentity } from './idp.dto.js';
import { Providers, WithProvider } from './providers.js';

@Personal()
@Controller('users/me/identities')
export class IdentitiesController {
  constructor(
    private readonly identities: IdentitiesService,
    private readonly providers: Providers,
    private readonly authorizations: AuthorizeService,
    private readonly environment: Environment,
  ) {}

  @Get()
  @Operation(
    'listIdentities',
    'The accounts at the identity provider that the caller can log in with, newest first.',
  )
  @Answers(200, pageFields(IdentitySchema))
  async list(@CurrentUser() user: CallerUser, @Query() query: PageQuery) {
    const { data, nextCursor } = await this.identities.list(user, query);
    return {
      data: data.map((identity) => identityView(identity, this.environment)),
      next_cursor: nextCursor,
    };
  }

  @Post(':provider/authorize-url')
  @WithProvider()
  @RequiresStepUp()
  @Limited('idpPerNetwork')
  @Operation(
    'linkIdentity',
    'Where the browser goes to link an account at an identity provider to that of the caller, under whatever address.',
  )
  @Answers(200, { authorization_url: text })
  @Problems([NotFound, ServiceUnavailable])
  async link(
    @Param('provider') name: string,
    @Body() body: LinkIdentity,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const provider = this.providers.named(name);
    const url = await this.authorizations.beginLinking(provider, body, caller, request, reply);
    return { authorization_url: url };
  }

  @Delete(':id')
  @RequiresStepUp()
  @Operation(
    'unlinkIdentity',
    'Unlinks an account at the identity provider, which is refused until the user links it on purpose; ends the other sessions that logins through a provider began.',
  )
  @Answers(204)
  @Problems([NotFound, LastLoginMethod])
  async unlink(@CurrentUser() user: CallerUser, @IdParam('id') id: string, @By() by: Actor) {
    await this.identities.unlink(user, id, by);
  }
}
