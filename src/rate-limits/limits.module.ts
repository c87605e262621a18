import { Module } from '@nestjs/common';
import { DevicesModule } from '../auth/devices.module.js';
import { LoginAttempts } from '../auth/login-attempts.js';
import { UsersModule } from '../users/users.module.js';
import { CountingPool } from './counting-pool.js';
import { Limits } from './limits.js';

@Module({
  imports: [DevicesModule, UsersModule],
  providers: [Limits, LoginAttempts, CountingPool],
  exports: [Limits, LoginAttempts, CountingPool],
})
export class LimitsModule {}
