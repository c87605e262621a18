import { Module } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AdminMails } from './admin-mails.js';
import { LastAdmins } from './last-admins.js';
import { MembershipMails } from './membership-mails.js';
import { PolicyMails } from './policy-mails.js';
import { RecentActsRepository } from './recent-acts.repository.js';
import { UserFactors } from './user-factors.js';
import { UserRoles } from './user-roles.js';
import { UserSessionsController } from './user-sessions.controller.js';
import { UserSessionsService } from './user-sessions.service.js';
import { UsersController } from './users.controller.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [SessionsModule],
  controllers: [UsersController, UserSessionsController],
  providers: [
    UsersService,
    UserSessionsService,
    AdminMails,
    MembershipMails,
    PolicyMails,
    LastAdmins,
    RecentActsRepository,
    UserFactors,
    UserRoles,
  ],
  exports: [
    UsersService,
    AdminMails,
    MembershipMails,
    PolicyMails,
    LastAdmins,
    RecentActsRepository,
    UserFactors,
  ],
})
export class UsersModule {}
