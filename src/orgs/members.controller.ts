import { Body, Controller, Delete, Get, Patch, Query, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, By, type Caller, CurrentCaller, type Recheck, Rechecked } from '../http/caller.js';
import { Compressed } from '../http/compression.js';
import { CSV_TYPE, fileHeaders } from '../http/csv.js';
import { InsufficientRole, LastOrgAdmin, StepUpRequired, SubscriptionActive } from '../http/errors.js';
import { IdParam } from '../http/id-param.js';
import { countedPageFields } from '../http/page.js';
import { Role } from '../http/role.js';
import {
  AcceptsKeys,
  Answers,
  B2BOnly,
  IntoOrgWhen,
  Limited,
  MinRole,
  Operation,
  Problems,
  WhileActing,
} from '../http/route.js';
import { MemberSchema, memberView } from '../users/user.view.js';
import { MembersService } from './members.service.js';
import { ExportMembers, ListMembers, UpdateMember } from './orgs.dto.js';

/** Whether a request is about another user than the caller. */
const isOfAnother = ({ params, caller }: FastifyRequest): boolean =>
  (params as { user_id: string }).user_id.toLowerCase() !== caller?.user.id;

@Controller('orgs/:org_id/members')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Get()
  @AcceptsKeys('latchkey.members.read', 'latchkey.users.read')
  @Compressed()
  @Operation(
    'listMembers',
    'The members of an organization, newest first if not sorted otherwise. The first page says how many there are, up to 1,000.',
  )
  @Answers(200, countedPageFields(MemberSchema))
  async list(@IdParam('org_id') orgId: string, @Query() query: ListMembers) {
    const { data, nextCursor, total } = await this.members.list(orgId, query);
    return { data: data.map(memberView), next_cursor: nextCursor, total };
  }

  @Get('export')
  @MinRole(Role.ORG_ADMIN)
  @Limited('changePerUser')
  @Operation(
    'exportMembers',
    'All members of an organization who meet a filter, as a CSV file; it is recorded.',
  )
  @Answers(200, CSV_TYPE)
  async export(
    @CurrentCaller() caller: Caller,
    @IdParam('org_id') orgId: string,
    @Query() query: ExportMembers,
    @By() by: Actor,
    @Rechecked() recheck: Recheck,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const csv = await this.members.export(orgId, query, by, recheck);
    reply.headers(fileHeaders('members', caller));
    return csv;
  }

  @Patch(':user_id')
  @WhileActing('writers')
  @MinRole(Role.ORG_ADMIN)
  @Limited('changePerUser')
  @Operation(
    'updateMember',
    'Gives a member another role, suspends them or lets them in again. Where it makes or is about an ORG_ADMIN, it asks for a recent proof.',
  )
  @Answers(200, { user: MemberSchema })
  @Problems([StepUpRequired, LastOrgAdmin])
  async update(
    @CurrentCaller() caller: Caller,
    @IdParam('org_id') orgId: string,
    @IdParam('user_id') userId: string,
    @Body() change: UpdateMember,
    @By() by: Actor,
  ) {
    return { user: memberView(await this.members.update(caller, orgId, userId, change, by)) };
  }

  @Delete(':user_id/factors')
  @B2BOnly()
  @MinRole(Role.ORG_ADMIN)
  @Limited('changePerUser')
  @Operation(
    'resetMemberFactors',
    'Removes all second factors of a member who has lost them, ends their sessions, and tells the owner: 204. Where users can belong to several organizations, it asks the SYSTEM_ADMINs to do so: 202. Asks for a recent proof.',
  )
  @Answers({ 204: null, 202: null })
  @Problems([StepUpRequired])
  async resetFactors(
    @CurrentCaller() caller: Caller,
    @IdParam('org_id') orgId: string,
    @IdParam('user_id') userId: string,
    @By() by: Actor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const isReset = await this.members.resetFactors(caller, orgId, userId, by);
    reply.status(isReset ? 204 : 202);
  }

  /** No least role: every member may leave, whatever the organization asks for. */
  @Delete(':user_id')
  @IntoOrgWhen(isOfAnother)
  @Operation(
    'removeMember',
    'Takes a member out of the organization. Members may leave; it ends when the last one leaves. That, and taking an ORG_ADMIN out, asks for a recent proof.',
  )
  @Answers(204)
  @Problems([StepUpRequired, InsufficientRole, LastOrgAdmin, SubscriptionActive])
  async remove(
    @CurrentCaller() caller: Caller,
    @IdParam('org_id') orgId: string,
    @IdParam('user_id') userId: string,
    @By() by: Actor,
  ) {
    await this.members.remove(caller, orgId, userId, by);
  }
}
