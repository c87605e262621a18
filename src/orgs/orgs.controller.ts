import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { Role } from '../access/role.js';
import { MinRole } from '../access/roles.guard.js';
import type { Actor } from '../audit/audit.js';
import { PageQuery } from '../paging/page.js';
import { By, CurrentUser } from '../sessions/caller.js';
import { User } from '../users/user.entity.js';
import { IdParam } from '../validation/uuid.js';
import { invitationView } from './invitation.view.js';
import { orgView } from './org.view.js';
import { CreateOrg, UpdateOrg } from './orgs.dto.js';
import { OrgsService } from './orgs.service.js';

@Controller('orgs')
export class OrgsController {
  constructor(private readonly orgs: OrgsService) {}

  @Post()
  @MinRole(Role.SYSTEM_ADMIN)
  async create(@CurrentUser() creator: User, @Body() body: CreateOrg, @By() by: Actor) {
    const { org, invitation } = await this.orgs.create(creator, body, by);
    return { org: orgView(org), invitation: invitationView(invitation) };
  }

  @Get()
  @MinRole(Role.SYSTEM_ADMIN)
  async list(@Query() query: PageQuery) {
    const { data, nextCursor } = await this.orgs.list(query);
    return { data: data.map(orgView), next_cursor: nextCursor };
  }

  @Get(':org_id')
  async get(@IdParam('org_id') id: string) {
    return { org: orgView(await this.orgs.get(id)) };
  }

  @Patch(':org_id')
  @MinRole(Role.ORG_ADMIN)
  async update(
    @CurrentUser() caller: User,
    @IdParam('org_id') id: string,
    @Body() body: UpdateOrg,
    @By() by: Actor,
  ) {
    return { org: orgView(await this.orgs.update(caller, id, body, by)) };
  }

  @Delete(':org_id')
  @MinRole(Role.SYSTEM_ADMIN)
  @HttpCode(204)
  async delete(@CurrentUser() caller: User, @IdParam('org_id') id: string, @By() by: Actor) {
    await this.orgs.delete(caller, id, by);
  }
}
