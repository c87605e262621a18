import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { type Actor, By, type Caller, CurrentCaller } from '../http/caller.js';
import { Compressed } from '../http/compression.js';
import {
  AlreadyInOrganization,
  NoSecondFactor,
  StepUpRequired,
  SubscriptionActive,
  TooManyOrganizations,
} from '../http/errors.js';
import { IdParam } from '../http/id-param.js';
import { countedPageFields } from '../http/page.js';
import { Role } from '../http/role.js';
import {
  AcceptsKeys,
  Answers,
  Limited,
  MinRole,
  Operation,
  Personal,
  Problems,
  WhileActing,
} from '../http/route.js';
import { InvitationSchema, invitationView } from './invitation.view.js';
import { ManagedOrganizationSchema, managedOrgView, OrganizationSchema, orgView } from './org.view.js';
import { CreateOrg, ListOrgs, UpdateOrg } from './orgs.dto.js';
import { OrgsService } from './orgs.service.js';

@Controller('orgs')
export class OrgsController {
  constructor(private readonly orgs: OrgsService) {}

  @Post()
  @Personal()
  @MinRole(Role.SYSTEM_ADMIN)
  @Limited('invitePerUser')
  @Operation('createOrg', 'Makes an organization and invites its admin, which asks for a recent proof.')
  @Answers(201, { org: ManagedOrganizationSchema, invitation: InvitationSchema })
  @Problems([StepUpRequired, AlreadyInOrganization, TooManyOrganizations])
  async create(@CurrentCaller() creator: Caller, @Body() body: CreateOrg, @By() by: Actor) {
    const { org, invitation } = await this.orgs.create(creator, body, by);
    return { org: managedOrgView(org), invitation: invitationView(invitation) };
  }

  @Get()
  @AcceptsKeys('latchkey.users.read')
  @Compressed()
  @Personal()
  @MinRole(Role.SYSTEM_ADMIN)
  @Operation(
    'listOrgs',
    'All organizations, newest first if not sorted otherwise. The first page says how many there are, up to 1,000.',
  )
  @Answers(200, countedPageFields(ManagedOrganizationSchema))
  async list(@Query() query: ListOrgs) {
    const { data, nextCursor, total } = await this.orgs.list(query);
    return { data: data.map(managedOrgView), next_cursor: nextCursor, total };
  }

  @Get(':org_id')
  @AcceptsKeys('latchkey.members.read', 'latchkey.users.read')
  @Operation('getOrg', 'An organization.')
  @Answers(200, { org: OrganizationSchema })
  async get(@IdParam('org_id') id: string) {
    return { org: orgView(await this.orgs.get(id)) };
  }

  @Patch(':org_id')
  @WhileActing('writers')
  @MinRole(Role.ORG_ADMIN)
  @Limited('changePerUser')
  @Operation('updateOrg', 'Renames an organization, or sets whether its members must have a second factor.')
  @Answers(200, { org: OrganizationSchema })
  @Problems([StepUpRequired, NoSecondFactor])
  async update(
    @CurrentCaller() caller: Caller,
    @IdParam('org_id') id: string,
    @Body() body: UpdateOrg,
    @By() by: Actor,
  ) {
    return { org: orgView(await this.orgs.update(caller, id, body, by)) };
  }

  @Delete(':org_id')
  @MinRole(Role.SYSTEM_ADMIN)
  @Operation(
    'deleteOrg',
    'Dissolves an organization, which asks for a recent proof; its members keep their accounts.',
  )
  @Answers(204)
  @Problems([StepUpRequired, SubscriptionActive])
  async delete(@CurrentCaller() caller: Caller, @IdParam('org_id') id: string, @By() by: Actor) {
    await this.orgs.delete(caller, id, by);
  }
}
