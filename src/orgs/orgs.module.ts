import { Module } from '@nestjs/common';
import { InvitationsRepository } from '../accounts/invitations.repository.js';
import { OrgsRepository } from '../accounts/orgs.repository.js';
import { SignupsModule } from '../auth/signup/signups.module.js';
import { BillingModule } from '../billing/billing.module.js';
import { CronTasks } from '../cron/cron-tasks.js';
import { LimitsModule } from '../rate-limits/limits.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { InvitationLinksController } from './invitation-links.controller.js';
import { InvitationLinksService } from './invitation-links.service.js';
import { InvitationsController } from './invitations.controller.js';
import { InvitationsService } from './invitations.service.js';
import { MembersController } from './members.controller.js';
import { MembersService } from './members.service.js';
import { OrgsController } from './orgs.controller.js';
import { OrgsService } from './orgs.service.js';
import { OwnOrgController } from './own-org.controller.js';
import { RecentMembershipsService } from './recent-memberships.service.js';

@Module({
  imports: [SessionsModule, SignupsModule, UsersModule, BillingModule, LimitsModule],
  controllers: [
    OrgsController,
    OwnOrgController,
    MembersController,
    InvitationsController,
    InvitationLinksController,
  ],
  providers: [
    OrgsService,
    OrgsRepository,
    MembersService,
    InvitationsService,
    InvitationsRepository,
    InvitationLinksService,
    RecentMembershipsService,
  ],
  exports: [
    OrgsService,
    OrgsRepository,
    InvitationsService,
    InvitationLinksService,
    RecentMembershipsService,
  ],
})
export class OrgsModule {
  constructor(cron: CronTasks) {
    cron.prune({ table: 'invitation_mails', keptDays: 0 });
  }
}
