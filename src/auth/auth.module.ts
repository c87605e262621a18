import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccountController } from './account.controller.js';
import { AccountDeletionService } from './account-deletion.service.js';
import { AdminService } from './admin.service.js';
import { AuthController } from './auth.controller.js';
import { EmailChangeService } from './email-change.service.js';
import { LoginService } from './login.service.js';
import { OneTimeTokens } from './one-time-tokens.js';
import { PasswordController } from './password.controller.js';
import { PasswordService } from './password.service.js';
import { SignupService } from './signup.service.js';
import { VerificationService } from './verification.service.js';

@Module({
  imports: [UsersModule, SessionsModule, OrgsModule, BillingModule],
  controllers: [AuthController, PasswordController, AccountController],
  providers: [
    AdminService,
    SignupService,
    VerificationService,
    LoginService,
    PasswordService,
    EmailChangeService,
    AccountDeletionService,
    OneTimeTokens,
  ],
  exports: [OneTimeTokens],
})
export class AuthModule {}
