import { Module } from '@nestjs/common';
import { LimitsModule } from '../../rate-limits/limits.module.js';
import { SessionsModule } from '../../sessions/sessions.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AuthModule } from '../auth.module.js';
import { SecondStepModule } from '../second-factor/second-factor.module.js';
import { Ceremonies } from './ceremonies.js';
import { ChallengeCookie, Challenges } from './challenges.js';
import { PasskeyLoginController } from './passkey-login.controller.js';
import { PasskeyLoginService } from './passkey-login.service.js';
import { PasskeysController } from './passkeys.controller.js';
import { PasskeysService } from './passkeys.service.js';

/** Passkeys: made, used to log in, and removed. */
@Module({
  imports: [AuthModule, SecondStepModule, UsersModule, SessionsModule, LimitsModule],
  controllers: [PasskeyLoginController, PasskeysController],
  providers: [PasskeyLoginService, PasskeysService, Ceremonies, Challenges, ChallengeCookie],
  exports: [Ceremonies],
})
export class PasskeysModule {}
