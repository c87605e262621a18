import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { CronTasks } from '../cron/cron-tasks.js';
import { LimitsModule } from '../rate-limits/limits.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SignupsModule } from '../signups/signups.module.js';
import { UsersModule } from '../users/users.module.js';
import { AcceptanceService } from './acceptance.service.js';
import { InvitationLinksController } from './invitation-links.controller.js';
import { InvitationsController } from './invitations.controller.js';
import { InvitationsRepository } from './invitations.repository.js';
import { InvitationsService } from './invitations.service.js';
import { MembersController } from './members.controller.js';
import { MembersRepository } from './members.repository.js';
import { MembersService } from './members.service.js';
import { OrgsController } from './orgs.controller.js';
import { OrgsRepository } from './orgs.repository.js';
import { OrgsService } from './orgs.service.js';

@Module({
  imports: [SessionsModule, SignupsModule, UsersModule, BillingModule, LimitsModule],
  controllers: [OrgsController, MembersController, InvitationsController, InvitationLinksController],
  providers: [
    OrgsService,
    OrgsRepository,
    MembersService,
    MembersRepository,
    InvitationsService,
    InvitationsRepository,
    AcceptanceService,
  ],
  exports: [OrgsService, OrgsRepository, InvitationsService],
})
export class OrgsModule {
  constructor(cron: CronTasks) {
    cron.prune({ table: 'invitation_mails', keptDays: 0 });
  }
}
