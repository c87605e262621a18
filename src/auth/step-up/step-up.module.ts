import { Module } from '@nestjs/common';
import { LimitsModule } from '../../rate-limits/limits.module.js';
import { SessionsModule } from '../../sessions/sessions.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AuthModule } from '../auth.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { SecondStepModule } from '../second-factor/second-factor.module.js';
import { StepUpController } from './step-up.controller.js';
import { StepUpService } from './step-up.service.js';

/** A proof within a session of who the user is. */
@Module({
  imports: [AuthModule, PasskeysModule, SecondStepModule, UsersModule, SessionsModule, LimitsModule],
  controllers: [StepUpController],
  providers: [StepUpService],
})
export class StepUpModule {}
