import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { Permissions } from '../access/permissions.js';
import { type Actor, By, type Caller, CurrentCaller } from '../http/caller.js';
import { RoleInUse, RoleNameTaken, StepUpRequired, TooManyRoles } from '../http/errors.js';
import { IdParam } from '../http/id-param.js';
import { Role } from '../http/role.js';
import { Answers, Limited, MinRole, Operation, Problems } from '../http/route.js';
import { list } from '../validation/schema.js';
import { BUILT_IN_ROLES, builtInRoleView, OrganizationRoleSchema, roleView } from './role.view.js';
import { MakeRole, UpdateRole } from './roles.dto.js';
import { RolesService } from './roles.service.js';

@Controller('orgs/:org_id/roles')
export class RolesController {
  constructor(
    private readonly roles: RolesService,
    private readonly permissions: Permissions,
  ) {}

  @Get()
  @Operation('listRoles', 'The roles of an organization: the built-in ones, then its own by their names.')
  @Answers(200, { data: list(OrganizationRoleSchema) })
  async list(@IdParam('org_id') orgId: string) {
    const { custom, builtIn } = await this.roles.list(orgId);
    return {
      data: [
        ...BUILT_IN_ROLES.map((role) => builtInRoleView(role, builtIn.get(role) ?? 0, this.permissions)),
        ...custom.map((role) => roleView(role, this.permissions)),
      ],
    };
  }

  @Post()
  @MinRole(Role.ORG_ADMIN)
  @Limited('changePerUser')
  @Operation(
    'makeRole',
    'Composes a role of permissions of the product, 20 in an organization at most. Asks for a recent proof.',
  )
  @Answers(201, { role: OrganizationRoleSchema })
  @Problems([StepUpRequired, TooManyRoles, RoleNameTaken])
  async make(
    @CurrentCaller() caller: Caller,
    @IdParam('org_id') orgId: string,
    @Body() body: MakeRole,
    @By() by: Actor,
  ) {
    return { role: roleView(await this.roles.make(caller, orgId, body, by), this.permissions) };
  }

  @Patch(':id')
  @MinRole(Role.ORG_ADMIN)
  @Limited('changePerUser')
  @Operation(
    'updateRole',
    'Gives a role another name or other permissions, which binds on the next request. Asks for a recent proof.',
  )
  @Answers(200, { role: OrganizationRoleSchema })
  @Problems([StepUpRequired, RoleNameTaken])
  async update(
    @CurrentCaller() caller: Caller,
    @IdParam('org_id') orgId: string,
    @IdParam('id') id: string,
    @Body() change: UpdateRole,
    @By() by: Actor,
  ) {
    return { role: roleView(await this.roles.update(caller, orgId, id, change, by), this.permissions) };
  }

  @Delete(':id')
  @MinRole(Role.ORG_ADMIN)
  @Operation(
    'removeRole',
    'Removes a role that neither a member nor an open invitation has. Asks for a recent proof.',
  )
  @Answers(204)
  @Problems([StepUpRequired, RoleInUse])
  async remove(
    @CurrentCaller() caller: Caller,
    @IdParam('org_id') orgId: string,
    @IdParam('id') id: string,
    @By() by: Actor,
  ) {
    await this.roles.remove(caller, orgId, id, by);
  }
}
