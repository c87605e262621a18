import { Controller, Delete, Get } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { type Actor, By, type Caller, CurrentCaller } from '../../http/caller.js';
import {
  LastOrgAdmin,
  LastSystemAdmin,
  NotFound,
  StepUpRequired,
  SubscriptionActive,
} from '../../http/errors.js';
import { IdParam } from '../../http/id-param.js';
import { Role } from '../../http/role.js';
import { Answers, Limited, MinRole, Operation, Problems } from '../../http/route.js';
import { list } from '../../validation/schema.js';
import { IdentitySchema, identityView } from '../providers/identity.view.js';
import { AccountService } from './account.service.js';

@Controller('users/:id')
@MinRole(Role.SYSTEM_ADMIN)
export class ManagedAccountsController {
  constructor(
    private readonly accounts: AccountService,
    private readonly environment: Environment,
  ) {}

  @Get('identities')
  @Operation('listUserIdentities', 'The accounts at identity providers that a user can log in with.')
  @Answers(200, { data: list(IdentitySchema) })
  @Problems([NotFound])
  async listIdentities(@IdParam('id') id: string) {
    const identities = await this.accounts.identitiesOf(id);
    return { data: identities.map((identity) => identityView(identity, this.environment)) };
  }

  @Delete()
  @Limited('changePerUser')
  @Operation(
    'deleteUser',
    'Deletes the account of another user, and their organization if it has no other member, and mails the owner; asks for a recent proof.',
  )
  @Answers(204)
  @Problems([StepUpRequired, NotFound, LastOrgAdmin, LastSystemAdmin, SubscriptionActive])
  async delete(@CurrentCaller() caller: Caller, @IdParam('id') id: string, @By() by: Actor) {
    await this.accounts.deleteOther(caller, id, by);
  }
}
