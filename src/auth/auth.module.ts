import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { CronTasks } from '../cron/cron-tasks.js';
import { Background } from '../jobs/background.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { LimitsModule } from '../rate-limits/limits.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SignupsModule } from '../signups/signups.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccountController } from './account.controller.js';
import { AccountService } from './account.service.js';
import { AdminService } from './admin.service.js';
import { AdmissionService } from './admission.service.js';
import { AuthController } from './auth.controller.js';
import { Devices } from './devices.js';
import { EmailChangeService } from './email-change.service.js';
import { EmailChangesRepository } from './email-changes.repository.js';
import { IdentitiesRepository } from './identities.repository.js';
import { IdentityLinks } from './identity-links.js';
import { DEVICE_MEMORY_DAYS } from './known-device.entity.js';
import { LinkRequests } from './link-requests.js';
import { LinkRequestsWorker } from './link-requests.worker.js';
import { LoginService } from './login.service.js';
import { LoginAttempts } from './login-attempts.js';
import { DeviceCookie, LoginCookies } from './login-cookies.js';
import { LoginMethods } from './login-methods.js';
import { LoginMetrics } from './login-metrics.js';
import { LoginNotices } from './login-notices.js';
import { LogoutService } from './logout.service.js';
import { ManagedAccountsController } from './managed-accounts.controller.js';
import { PasswordController } from './password.controller.js';
import { PasswordService } from './password.service.js';
import { PasswordResetService } from './password-reset.service.js';
import { ProofAttempts } from './proof-attempts.js';
import { SecureAccountService } from './secure-account.service.js';
import { SignedStates } from './signed-states.js';
import { SignupService } from './signup.service.js';
import { VerificationService } from './verification.service.js';

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
