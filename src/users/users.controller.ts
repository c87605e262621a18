import { Body, Controller, Delete, Get, Patch, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Actor, By, type Caller, CurrentCaller, type Recheck, Rechecked } from '../http/caller.js';
import { Compressed } from '../http/compression.js';
import { CSV_TYPE, fileHeaders } from '../http/csv.js';
import { LastOrgAdmin, LastSystemAdmin, NotFound, StepUpRequired } from '../http/errors.js';
import { IdParam } from '../http/id-param.js';
import { countedPageFields } from '../http/page.js';
import { Role } from '../http/role.js';
import { AcceptsKeys, Answers, Limited, MinRole, Operation, Personal, Problems } from '../http/route.js';
import { AdministeredUserSchema, administeredUserView } from './user.view.js';
import { ExportUsers, ListUsers, UpdateUser } from './users.dto.js';
import { UsersService } from './users.service.js';

@Personal()
@Controller('users')
@MinRole(Role.SYSTEM_ADMIN)
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @AcceptsKeys('latchkey.users.read')
  @Compressed()
  @Operation(
    'listUsers',
    'All users, newest first if not sorted otherwise. The first page says how many there are, up to 1,000.',
  )
  @Answers(200, countedPageFields(AdministeredUserSchema))
  async list(@Query() query: ListUsers) {
    const { data, nextCursor, total } = await this.users.list(query);
    return { data: data.map(administeredUserView), next_cursor: nextCursor, total };
  }

  @Get('export')
  @Limited('changePerUser')
  @Operation('exportUsers', 'All users who meet a filter, as a CSV file; it is recorded.')
  @Answers(200, CSV_TYPE)
  async export(
    @Query() query: ExportUsers,
    @By() by: Actor,
    @Rechecked() recheck: Recheck,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const csv = await this.users.export(query, by, recheck);
    reply.headers(fileHeaders('users'));
    return csv;
  }

  @Get(':id')
  @AcceptsKeys('latchkey.users.read')
  @Operation('getUser', 'A user, such as one whom an audit event names.')
  @Answers(200, { user: AdministeredUserSchema })
  @Problems([NotFound])
  async get(@IdParam('id') id: string) {
    return { user: administeredUserView(await this.users.get(id)) };
  }

  @Patch(':id')
  @Limited('changePerUser')
  @Operation(
    'updateUser',
    'Changes the name or the role of a user, or disables them, which ends their sessions; asks for a recent proof.',
  )
  @Answers(200, { user: AdministeredUserSchema })
  @Problems([StepUpRequired, NotFound, LastOrgAdmin, LastSystemAdmin])
  async update(
    @CurrentCaller() caller: Caller,
    @IdParam('id') id: string,
    @Body() body: UpdateUser,
    @By() by: Actor,
  ) {
    return { user: administeredUserView(await this.users.update(caller, id, body, by)) };
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
