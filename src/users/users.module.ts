import { Module } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AdminMails } from './admin-mails.js';
import { AdminsRepository } from './admins.repository.js';
import { BreachMetrics } from './breach-metrics.js';
import { BreachedPasswords } from './breached-passwords.js';
import { HashingMetrics } from './hashing-metrics.js';
import { HashingQueue } from './hashing-queue.js';
import { LastAdmins } from './last-admins.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordPolicy } from './password-policy.js';
import { SentInvitations } from './sent-invitations.js';
import { UsersController } from './users.controller.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [SessionsModule],
  controllers: [UsersController],
  providers: [
    UsersService,
    UsersRepository,
    AdminsRepository,
    AdminMails,
    LastAdmins,
    SentInvitations,
    HashingQueue,
    PasswordHasher,
    HashingMetrics,
    PasswordPolicy,
    BreachedPasswords,
    BreachMetrics,
  ],
  exports: [
    UsersRepository,
    AdminsRepository,
    AdminMails,
    LastAdmins,
    SentInvitations,
    PasswordHasher,
    PasswordPolicy,
  ],
})
export class UsersModule {}
