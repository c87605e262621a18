import { Module } from '@nestjs/common';
import { PasswordHasher } from './password-hasher.js';
import { PasswordPolicy } from './password-policy.js';
import { UsersController } from './users.controller.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

@Module({
  controllers: [UsersController],
  providers: [UsersService, UsersRepository, PasswordHasher, PasswordPolicy],
  exports: [UsersRepository, PasswordHasher, PasswordPolicy],
})
export class UsersModule {}
