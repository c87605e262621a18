import { Body, Controller, Delete, Get, Patch, Query } from '@nestjs/common';
import { type Actor, By, type Caller, CurrentCaller } from '../http/caller.js';
import { LastOrgAdmin, LastSystemAdmin, NotFound, StepUpRequired } from '../http/errors.js';
import { IdParam } from '../http/id-param.js';
import { pageFields } from '../http/page.js';
import { Role } from '../http/role.js';
import { Answers, Limited, MinRole, Operation, Problems } from '../http/route.js';
import { ManagedUserSchema, managedUserView } from './user.view.js';
import { ListUsers, UpdateUser } from './users.dto.js';
import { UsersService } from './users.service.js';

@Controller('users')
@MinRole(Role.SYSTEM_ADMIN)
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @Operation('listUsers', 'All users, newest first.')
  @Answers(200, pageFields(ManagedUserSchema))
  async list(@Query() query: ListUsers) {
    const { data, nextCursor } = await this.users.list(query);
    return { data: data.map(managedUserView), next_cursor: nextCursor };
  }

  @Get(':id')
  @Operation('getUser', 'A user, such as one whom an audit event names.')
  @Answers(200, { user: ManagedUserSchema })
  @Problems([NotFound])
  async get(@IdParam('id') id: string) {
    return { user: managedUserView(await this.users.get(id)) };
  }

  @Patch(':id')
  @Limited('changePerUser')
  @Operation(
    'updateUser',
    'Changes the role of a user, or disables them, which ends their sessions; asks for a recent proof.',
  )
  @Answers(200, { user: ManagedUserSchema })
  @Problems([StepUpRequired, NotFound, LastOrgAdmin, LastSystemAdmin])
  async update(
    @CurrentCaller() caller: Caller,
    @IdParam('id') id: string,
    @Body() body: UpdateUser,
    @By() by: Actor,
  ) {
    return { user: managedUserView(await this.users.update(caller, id, body, by)) };
  }

  @Delete(':id/factors')
  @Limited('changePerUser')
  @Operation(
    'resetUserFactors',
    'Removes all second factors of a user who has lost them, ends their sessions, and tells the owner; asks for a recent proof.',
  )
  @Answers(204)
  @Problems([StepUpRequired, NotFound, LastSystemAdmin])
  async resetFactors(@CurrentCaller() caller: Caller, @IdParam('id') id: string, @By() by: Actor) {
    await this.users.resetFactors(caller, id, by);
  }
}
