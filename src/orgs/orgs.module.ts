import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { LimitsModule } from '../rate-limits/limits.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { FactorRequests } from './factor-requests.js';
import { InvitationLinksController } from './invitation-links.controller.js';
import { InvitationLinksService } from './invitation-links.service.js';
import { InvitationsController } from './invitations.controller.js';
import { InvitationsService } from './invitations.service.js';
import { MembersController } from './members.controller.js';
import { MembersService } from './members.service.js';
import { OrgsController } from './orgs.controller.js';
import { OrgsService } from './orgs.service.js';
import { OwnOrgController } from './own-org.controller.js';
import { PolicyController } from './policy.controller.js';
import { PolicyService } from './policy.service.js';
import { RecentMembershipsService } from './recent-memberships.service.js';
import { RolesController } from './roles.controller.js';
import { RolesService } from './roles.service.js';

@Module({
  imports: [PasswordsModule, SessionsModule, UsersModule, BillingModule, LimitsModule],
  controllers: [
    OrgsController,
    OwnOrgController,
    PolicyController,
    MembersController,
    RolesController,
    InvitationsController,
    InvitationLinksController,
  ],
  providers: [
    OrgsService,
    PolicyService,
    MembersService,
    RolesService,
    FactorRequests,
    InvitationsService,
    InvitationLinksService,
    RecentMembershipsService,
  ],
  exports: [OrgsService, InvitationsService, InvitationLinksService, RecentMembershipsService],
})
export class OrgsModule {}
