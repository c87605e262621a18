import { Module } from '@nestjs/common';
import { InvitationsService } from './invitations.service.js';
import { OrgsService } from './orgs.service.js';

@Module({
  providers: [OrgsService, InvitationsService],
  exports: [OrgsService, InvitationsService],
})
export class OrgsModule {}
