import { Module } from '@nestjs/common';
import { BillingModule } from '../../billing/billing.module.js';
import { OrgsModule } from '../../orgs/orgs.module.js';
import { LimitsModule } from '../../rate-limits/limits.module.js';
import { SessionsModule } from '../../sessions/sessions.module.js';
import { UsersModule } from '../../users/users.module.js';
import { AuthModule } from '../auth.module.js';
import { SignupsModule } from '../signup/signups.module.js';
import { AuthorizeService } from './authorize.service.js';
import { CallbackService } from './callback.service.js';
import { IdentitiesController } from './identities.controller.js';
import { IdentitiesService } from './identities.service.js';
import { IdpController } from './idp.controller.js';
import { IdpAccountsService } from './idp-accounts.service.js';
import { IdpLoginService } from './idp-login.service.js';
import { LoginStates } from './login-states.js';
import { MethodsController } from './methods.controller.js';
import { Providers } from './providers.js';

/** Login through identity providers. */
@Module({
  imports: [AuthModule, UsersModule, SessionsModule, SignupsModule, LimitsModule, OrgsModule, BillingModule],
  controllers: [MethodsController, IdpController, IdentitiesController],
  providers: [
    Providers,
    LoginStates,
    AuthorizeService,
    CallbackService,
    IdpLoginService,
    IdpAccountsService,
    IdentitiesService,
  ],
})
export class IdpModule {}
