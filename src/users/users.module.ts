import { Module } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AdminNews } from './admin-news.js';
import { AdminNewsRepository } from './admin-news.repository.js';
import { AdminsRepository } from './admins.repository.js';
import { HashingMetrics } from './hashing-metrics.js';
import { HashingQueue } from './hashing-queue.js';
import { LastAdmins } from './last-admins.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordPolicy } from './password-policy.js';
import { UserAdminController } from './user-admin.controller.js';
import { UserAdminService } from './user-admin.service.js';
import { UsersController } from './users.controller.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [SessionsModule],
  controllers: [UsersController, UserAdminController],
  providers: [
    UsersService,
    UserAdminService,
    UsersRepository,
    AdminsRepository,
    AdminNews,
    AdminNewsRepository,
    LastAdmins,
    HashingQueue,
    PasswordHasher,
    HashingMetrics,
    PasswordPolicy,
  ],
  exports: [UsersRepository, AdminsRepository, AdminNews, LastAdmins, PasswordHasher, PasswordPolicy],
})
export class UsersModule {}
