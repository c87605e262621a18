import { Module } from '@nestjs/common';
import { LimitsModule } from '../../rate-limits/limits.module.js';
import { SessionsModule } from '../../sessions/sessions.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AuthModule } from '../auth.module.js';
import { CodesService } from './codes.service.js';
import { FactorsController } from './factors.controller.js';
import { FactorsService } from './factors.service.js';
import { PendingLoginController } from './pending-login.controller.js';
import { PendingLoginsService } from './pending-logins.service.js';

/** The second step of a login: its codes, and the authenticator app and recovery codes that they come from. */
@Module({
  imports: [AuthModule, UsersModule, SessionsModule, LimitsModule],
  controllers: [PendingLoginController, FactorsController],
  providers: [PendingLoginsService, FactorsService, CodesService],
  exports: [CodesService, FactorsService],
})
export class SecondStepModule {}
