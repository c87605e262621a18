import { Module } from '@nestjs/common';
import { EmailChangesRepository } from '../accounts/email-changes.repository.js';
import { IdentitiesRepository } from '../accounts/identities.repository.js';
import { DEVICE_MEMORY_DAYS } from '../accounts/known-device.entity.js';
import { BillingModule } from '../billing/billing.module.js';
import { CronTasks } from '../cron/cron-tasks.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { Background } from '../queues/background.js';
import { LimitsModule } from '../rate-limits/limits.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccountController } from './account/account.controller.js';
import { AccountService } from './account/account.service.js';
import { AdminService } from './account/admin.service.js';
import { EmailChangeService } from './account/email-change.service.js';
import { ManagedAccountsController } from './account/managed-accounts.controller.js';
import { PasswordController } from './account/password.controller.js';
import { PasswordService } from './account/password.service.js';
import { PasswordResetService } from './account/password-reset.service.js';
import { SecureAccountService } from './account/secure-account.service.js';
import { AdmissionService } from './login/admission.service.js';
import { AuthController } from './login/auth.controller.js';
import { Devices } from './login/devices.js';
import { LoginService } from './login/login.service.js';
import { LoginAttempts } from './login/login-attempts.js';
import { DeviceCookie, LoginCookies } from './login/login-cookies.js';
import { LoginMethods } from './login/login-methods.js';
import { LoginMetrics } from './login/login-metrics.js';
import { LoginNotices } from './login/login-notices.js';
import { LogoutService } from './login/logout.service.js';
import { SignedStates } from './login/signed-states.js';
import { IdentityLinks } from './providers/identity-links.js';
import { LinkRequests } from './signup/link-requests.js';
import { LinkRequestsWorker } from './signup/link-requests.worker.js';
import { SignupService } from './signup/signup.service.js';
import { SignupsModule } from './signup/signups.module.js';
import { VerificationService } from './signup/verification.service.js';
import { ProofAttempts } from './step-up/proof-attempts.js';

@Module({
  imports: [UsersModule, SessionsModule, SignupsModule, LimitsModule, OrgsModule, BillingModule],
  controllers: [AuthController, PasswordController, AccountController, ManagedAccountsController],
  providers: [
    AdminService,
    SignupService,
    VerificationService,
    LoginService,
    LogoutService,
    AdmissionService,
    LoginMethods,
    LoginNotices,
    SignedStates,
    LoginCookies,
    LoginMetrics,
    PasswordService,
    ProofAttempts,
    PasswordResetService,
    EmailChangeService,
    AccountService,
    SecureAccountService,
    EmailChangesRepository,
    IdentitiesRepository,
    IdentityLinks,
    Devices,
    DeviceCookie,
    LoginAttempts,
    LinkRequests,
    LinkRequestsWorker,
  ],
  exports: [
    AdmissionService,
    LoginAttempts,
    LoginCookies,
    LoginMethods,
    LoginMetrics,
    LogoutService,
    PasswordService,
    ProofAttempts,
    SignedStates,
    IdentitiesRepository,
    IdentityLinks,
  ],
})
export class AuthModule {
  constructor(background: Background, worker: LinkRequestsWorker, cron: CronTasks) {
    background.add(worker);
    cron.prune({ table: 'email_changes', keptDays: 0 });
    cron.prune({ table: 'used_states', keptDays: 0 });
    cron.prune({ table: 'known_devices', overAt: 'last_seen_at', keptDays: DEVICE_MEMORY_DAYS });
  }
}
