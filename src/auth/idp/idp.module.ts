import { Module } from '@nestjs/common';
import { BillingModule } from '../../billing/billing.module.js';
import { OrgsModule } from '../../orgs/orgs.module.js';
import { LimitsModule } from '../../rate-limits/limits.module.js';
import { SessionsModule } from '../../sessions/sessions.module.js';
import { SignupsModule } from '../../signups/signups.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AuthModule } from '../auth.module.js';
import { AuthorizeGuard } from './authorize.guard.js';
import { CallbackGuard } from './callback.guard.js';
import { IdentitiesController } from './identities.controller.js';
import { IdentitiesService } from './identities.service.js';
import { IdpController } from './idp.controller.js';
import { IdpStrategy } from './idp.strategy.js';
import { IdpAccountsService } from './idp-accounts.service.js';
import { IdpLoginService } from './idp-login.service.js';
import { LoginStates } from './login-states.js';

/** Login through the identity provider. */
@Module({
  imports: [AuthModule, UsersModule, SessionsModule, SignupsModule, LimitsModule, OrgsModule, BillingModule],
  controllers: [IdpController, IdentitiesController],
  providers: [
    IdpStrategy,
    LoginStates,
    AuthorizeGuard,
    CallbackGuard,
    IdpLoginService,
    IdpAccountsService,
    IdentitiesService,
  ],
})
export class IdpModule {}
