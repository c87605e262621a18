import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { type Actor, By, type Caller, type CallerUser, CurrentCaller, CurrentUser } from '../http/caller.js';
import { Compressed } from '../http/compression.js';
import { AlreadyMember, InvitationDeclined, StepUpRequired, TooManyRequests } from '../http/errors.js';
import { IdParam } from '../http/id-param.js';
import { pageFields } from '../http/page.js';
import { Role } from '../http/role.js';
import { Answers, Limited, MinRole, Operation, Problems, WhileActing } from '../http/route.js';
import { list } from '../validation/schema.js';
import { InvitationSchema, InvitedSchema, invitationView, invitedView } from './invitation.view.js';
import { InvitationsService } from './invitations.service.js';
import { InvitationsQuery, Invite, InviteMany } from './orgs.dto.js';

@Controller('orgs/:org_id/invitations')
@MinRole(Role.ORG_ADMIN)
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Post()
  @WhileActing('writers')
  @Limited('invitePerUser')
  @Operation(
    'invite',
    'Mails an invitation, in place of the one the address still has open; that of an ORG_ADMIN asks for a recent proof.',
  )
  @Answers(201, { invitation: InvitationSchema })
  @Problems([StepUpRequired, AlreadyMember, InvitationDeclined, TooManyRequests])
  async invite(
    @CurrentCaller() caller: Caller,
    @IdParam('org_id') orgId: string,
    @Body() body: Invite,
    @By() by: Actor,
  ) {
    return { invitation: invitationView(await this.invitations.invite(caller, orgId, body, by)) };
  }

  @Post('many')
  @WhileActing('writers')
  @Limited('invitePerUser')
  @Operation(
    'inviteMany',
    'Mails invitations to up to 100 addresses, each within the limits of a single one, and says of each what became of it.',
  )
  @Answers(200, { data: list(InvitedSchema) })
  @Problems([StepUpRequired])
  async inviteMany(
    @CurrentCaller() caller: Caller,
    @IdParam('org_id') orgId: string,
    @Body() body: InviteMany,
    @By() by: Actor,
  ) {
    return { data: (await this.invitations.inviteMany(caller, orgId, body, by)).map(invitedView) };
  }

  @Get()
  @Compressed()
  @Operation('listInvitations', 'The invitations of an organization, newest first.')
  @Answers(200, pageFields(InvitationSchema))
  async list(@IdParam('org_id') orgId: string, @Query() query: InvitationsQuery) {
    const { data, nextCursor } = await this.invitations.list(orgId, query);
    return { data: data.map(invitationView), next_cursor: nextCursor };
  }

  @Delete(':id')
  @WhileActing('writers')
  @Operation('revokeInvitation', 'Takes an open invitation back.')
  @Answers(204)
  async revoke(
    @CurrentUser() caller: CallerUser,
    @IdParam('org_id') orgId: string,
    @IdParam('id') id: string,
    @By() by: Actor,
  ) {
    await this.invitations.revoke(caller, orgId, id, by);
  }

  @Post(':id/resend')
  @WhileActing('writers')
  @Limited('invitePerUser')
  @Operation(
    'resendInvitation',
    'Mails an open invitation again with a fresh link, and the earlier link dies; that of an ORG_ADMIN asks for a recent proof.',
  )
  @Answers(202)
  @Problems([StepUpRequired, TooManyRequests])
  async resend(
    @CurrentCaller() inviter: Caller,
    @IdParam('org_id') orgId: string,
    @IdParam('id') id: string,
    @By() by: Actor,
  ) {
    await this.invitations.resend(inviter, orgId, id, by);
  }
}
