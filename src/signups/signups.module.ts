import { Module } from '@nestjs/common';
import { PasswordMac } from './password-mac.js';
import { SignupCookie } from './signup-cookie.js';
import { SignupsRepository } from './signups.repository.js';

@Module({
  providers: [SignupsRepository, SignupCookie, PasswordMac],
  exports: [SignupsRepository, SignupCookie, PasswordMac],
})
export class SignupsModule {}
