import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { type Actor, By, type Caller, CurrentCaller } from '../../http/caller.js';
import {
  AddressHeld,
  AddressTaken,
  LastOrgAdmin,
  LastSystemAdmin,
  NotFound,
  StepUpRequired,
  SubscriptionActive,
  TooManyRequests,
} from '../../http/errors.js';
import { IdParam } from '../../http/id-param.js';
import { Role } from '../../http/role.js';
import { Answers, Limited, MinRole, Operation, Personal, Problems } from '../../http/route.js';
import { UserSchema, userView } from '../../users/user.view.js';
import { list } from '../../validation/schema.js';
import { Address, CreateUser } from '../auth.dto.js';
import { IdentitySchema, identityView } from '../providers/identity.view.js';
import { AccountService } from './account.service.js';
import { ManagedAccountsService } from './managed-accounts.service.js';

@Personal()
@Controller('users')
@MinRole(Role.SYSTEM_ADMIN)
export class ManagedAccountsController {
  constructor(
    private readonly accounts: AccountService,
    private readonly managed: ManagedAccountsService,
    private readonly environment: Environment,
  ) {}

  @Post()
  @Limited('changePerUser')
  @Operation(
    'createUser',
    'Makes an account for an address, and mails it a link to choose a password; asks for a recent proof.',
  )
  @Answers(201, { user: UserSchema })
  @Problems([StepUpRequired, AddressTaken, AddressHeld, TooManyRequests])
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateUser, @By() by: Actor) {
    return { user: userView(await this.managed.create(caller, body, by)) };
  }

  @Post(':id/email')
  @Limited('changePerUser')
  @Operation(
    'changeUserEmail',
    'Corrects an address that was never confirmed, or mails a link to the new one, which moves the account once its user opens it; asks for a recent proof.',
  )
  @Answers(202)
  @Problems([StepUpRequired, NotFound, AddressTaken, AddressHeld, TooManyRequests])
  async changeEmail(
    @CurrentCaller() caller: Caller,
    @IdParam('id') id: string,
    @Body() { email }: Address,
    @By() by: Actor,
  ) {
    await this.managed.changeEmail(caller, id, email, by);
  }

  @Get(':id/identities')
  @Operation('listUserIdentities', 'The accounts at identity providers that a user can log in with.')
  @Answers(200, { data: list(IdentitySchema) })
  @Problems([NotFound])
  async listIdentities(@IdParam('id') id: string) {
    const identities = await this.accounts.identitiesOf(id);
    return { data: identities.map((identity) => identityView(identity, this.environment)) };
  }

  @Delete(':id')
  @Limited('changePerUser')
  @Operation(
    'deleteUser',
    'Deletes the account of another user, and each organization whose only member they are, and mails the owner; asks for a recent proof.',
  )
  @Answers(204)
  @Problems([StepUpRequired, NotFound, LastOrgAdmin, LastSystemAdmin, SubscriptionActive])
  async delete(@CurrentCaller() caller: Caller, @IdParam('id') id: string, @By() by: Actor) {
    await this.accounts.deleteOther(caller, id, by);
  }
}
