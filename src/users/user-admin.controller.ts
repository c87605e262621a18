import { Body, Controller, Get, Patch, Query } from '@nestjs/common';
import { Role } from '../access/role.js';
import { MinRole } from '../access/roles.guard.js';
import type { Actor } from '../audit/audit.js';
import { By, CurrentUser } from '../sessions/caller.js';
import { IdParam } from '../validation/uuid.js';
import { User } from './user.entity.js';
import { userView } from './user.view.js';
import { UserAdminService } from './user-admin.service.js';
import { ListUsers, UpdateUser } from './users.dto.js';

@Controller('users')
@MinRole(Role.SYSTEM_ADMIN)
export class UserAdminController {
  constructor(private readonly users: UserAdminService) {}

  @Get()
  async list(@Query() query: ListUsers) {
    const { data, nextCursor } = await this.users.list(query);
    return { data: data.map(userView), next_cursor: nextCursor };
  }

  @Patch(':id')
  async update(
    @CurrentUser() caller: User,
    @IdParam('id') id: string,
    @Body() body: UpdateUser,
    @By() by: Actor,
  ) {
    return { user: userView(await this.users.update(caller, id, body, by)) };
  }
}
