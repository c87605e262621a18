import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module.js';
import { UsersModule } from '../users/users.module.js';
import { CountingPool } from './counting-pool.js';
import { Limits } from './limits.js';
import { LoginAttempts } from './login-attempts.js';

@Module({
  imports: [DevicesModule, UsersModule],
  providers: [Limits, LoginAttempts, CountingPool],
  exports: [Limits, LoginAttempts, CountingPool],
})
export class LimitsModule {}
