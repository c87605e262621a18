import { Module } from '@nestjs/common';
import { AdminsRepository } from '../accounts/admins.repository.js';
import { SentInvitations } from '../accounts/sent-invitations.repository.js';
import { UsersRepository } from '../accounts/users.repository.js';
import { BreachMetrics } from '../passwords/breach-metrics.js';
import { BreachedPasswords } from '../passwords/breached-passwords.js';
import { HashingMetrics } from '../passwords/hashing-metrics.js';
import { HashingQueue } from '../passwords/hashing-queue.js';
import { PasswordHasher } from '../passwords/password-hasher.js';
import { PasswordPolicy } from '../passwords/password-policy.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AdminMails } from './admin-mails.js';
import { LastAdmins } from './last-admins.js';
import { MembershipMails } from './membership-mails.js';
import { RecentActsRepository } from './recent-acts.repository.js';
import { UserFactors } from './user-factors.js';
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
    UsersRepository,
    AdminsRepository,
    AdminMails,
    MembershipMails,
    LastAdmins,
    RecentActsRepository,
    SentInvitations,
    UserFactors,
    HashingQueue,
    PasswordHasher,
    HashingMetrics,
    PasswordPolicy,
    BreachedPasswords,
    BreachMetrics,
  ],
  exports: [
    UsersService,
    UsersRepository,
    AdminsRepository,
    AdminMails,
    MembershipMails,
    LastAdmins,
    RecentActsRepository,
    SentInvitations,
    UserFactors,
    PasswordHasher,
    PasswordPolicy,
  ],
})
export class UsersModule {}
