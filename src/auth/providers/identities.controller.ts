import { Controller, Delete, Get, Query } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { type Actor, By, type CallerUser, CurrentUser } from '../../http/caller.js';
import { LastLoginMethod, NotFound } from '../../http/errors.js';
import { IdParam } from '../../http/id-param.js';
import { PageQuery, pageFields } from '../../http/page.js';
import { Answers, Operation, Personal, Problems, RequiresStepUp } from '../../http/route.js';
import { IdentitiesService } from './identities.service.js';
import { IdentitySchema, identityView } from './identity.view.js';

@Personal()
@Controller('users/me/identities')
export class IdentitiesController {
  constructor(
    private readonly identities: IdentitiesService,
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
