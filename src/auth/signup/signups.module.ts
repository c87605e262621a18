import { Module } from '@nestjs/common';
import { SignupsRepository } from '../../accounts/signups.repository.js';
import { CronTasks } from '../../cron/cron-tasks.js';
import { PasswordMac } from './password-mac.js';
import { SignupCookie } from './signup-cookie.js';

@Module({
  providers: [SignupsRepository, SignupCookie, PasswordMac],
  exports: [SignupsRepository, SignupCookie, PasswordMac],
})
export class SignupsModule {
  constructor(cron: CronTasks) {
    cron.prune({ table: 'signups', keptDays: 0 });
  }
}
