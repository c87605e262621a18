import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BillingModule } from '../billing/billing.module.js';
import { CronTasks } from '../cron/cron-tasks.js';
import { LanguageCookie } from '../http/language-cookie.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { Background } from '../queues/background.js';
import { LimitsModule } from '../rate-limits/limits.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccountController } from './account/account.controller.js';
import { AccountService } from './account/account.service.js';
import { AccountExportController } from './account/account-export.controller.js';
import { AccountExportRepository } from './account/account-export.repository.js';
import { AccountExportService } from './account/account-export.service.js';
import { AdminService } from './account/admin.service.js';
import { EmailChangeService } from './account/email-change.service.js';
import { ManagedAccountsController } from './account/managed-accounts.controller.js';
import { ManagedAccountsService } from './account/managed-accounts.service.js';
import { PasswordController } from './account/password.controller.js';
import { PasswordService } from './account/password.service.js';
import { PasswordResetService } from './account/password-reset.service.js';
import { SecureAccountService } from './account/secure-account.service.js';
import { AuthController } from './auth.controller.js';
import { EmailCodeController } from './email-code/email-code.controller.js';
import { EmailCodeLoginService } from './email-code/email-code-login.service.js';
import { AdmissionService } from './login/admission.service.js';
import { LoginService } from './login/login.service.js';
import { LoginAttempts } from './login/login-attempts.js';
import { DeviceCookie, LoginCookies } from './login/login-cookies.js';
import { LoginMethods } from './login/login-methods.js';
import { LoginMetrics } from './login/login-metrics.js';
import { LoginNotices } from './login/login-notices.js';
import { LogoutService } from './login/logout.service.js';
import { ProvenAddresses } from './login/proven-addresses.js';
import { SignedStates } from './login/signed-states.js';
import { UsedState } from './login/used-state.entity.js';
import { UsedStatesRepository } from './login/used-states.repository.js';
import { CodeCookie } from './mailed-codes/code-cookie.js';
import { MailedCodes } from './mailed-codes/mailed-codes.js';
import { CeremoniesService } from './passkeys/ceremonies.service.js';
import { ChallengeCookie, Challenges } from './passkeys/challenges.js';
import { PasskeyLoginController } from './passkeys/passkey-login.controller.js';
import { PasskeyLoginService } from './passkeys/passkey-login.service.js';
import { PasskeysController } from './passkeys/passkeys.controller.js';
import { PasskeysService } from './passkeys/passkeys.service.js';
import { AuthorizeService } from './providers/authorize.service.js';
import { IdentitiesController } from './providers/identities.controller.js';
import { IdentitiesService } from './providers/identities.service.js';
import { IdentityLinks } from './providers/identity-links.js';
import { IdpController } from './providers/idp.controller.js';
import { IdpStrategy } from './providers/idp.strategy.js';
import { IdpAccountsService } from './providers/idp-accounts.service.js';
import { IdpLoginService } from './providers/idp-login.service.js';
import { LoginFlows } from './providers/login-flows.js';
import { MethodsController } from './providers/methods.controller.js';
import { Providers } from './providers/providers.js';
import { CodesService } from './second-factor/codes.service.js';
import { FactorsController } from './second-factor/factors.controller.js';
import { FactorsService } from './second-factor/factors.service.js';
import { PendingLoginController } from './second-factor/pending-login.controller.js';
import { PendingLoginsService } from './second-factor/pending-logins.service.js';
import { TotpService } from './second-factor/totp.service.js';
import { LinkRequest } from './signup/link-request.entity.js';
import { LinkRequests } from './signup/link-requests.js';
import { LinkRequestsRepository } from './signup/link-requests.repository.js';
import { LinkRequestsWorker } from './signup/link-requests.worker.js';
import { PasswordMac } from './signup/password-mac.js';
import { SignupService } from './signup/signup.service.js';
import { SignupCookie, SignupCookies } from './signup/signup-cookies.js';
import { VerificationService } from './signup/verification.service.js';
import { MailedProofs } from './step-up/mailed-proofs.js';
import { ProofAttempts } from './step-up/proof-attempts.js';
import { StepUpController } from './step-up/step-up.controller.js';
import { StepUpService } from './step-up/step-up.service.js';

const LOGIN = [
  LoginService,
  LogoutService,
  AdmissionService,
  LoginAttempts,
  LoginMethods,
  ProvenAddresses,
  LoginNotices,
  LoginCookies,
  LanguageCookie,
  DeviceCookie,
  LoginMetrics,
  SignedStates,
  UsedStatesRepository,
];

const MAILED_CODES = [MailedCodes, CodeCookie, EmailCodeLoginService];

const SIGNUP = [
  SignupService,
  VerificationService,
  SignupCookies,
  SignupCookie,
  PasswordMac,
  LinkRequests,
  LinkRequestsRepository,
  LinkRequestsWorker,
];

const ACCOUNT = [
  AccountService,
  AccountExportService,
  AccountExportRepository,
  EmailChangeService,
  PasswordService,
  PasswordResetService,
  SecureAccountService,
  AdminService,
  ManagedAccountsService,
];

const PROVIDERS = [
  Providers,
  LoginFlows,
  AuthorizeService,
  IdpStrategy,
  IdpLoginService,
  IdpAccountsService,
  IdentitiesService,
  IdentityLinks,
];

const PASSKEYS = [PasskeyLoginService, PasskeysService, CeremoniesService, Challenges, ChallengeCookie];

const SECOND_FACTOR = [PendingLoginsService, FactorsService, CodesService, TotpService];

const STEP_UP = [StepUpService, MailedProofs, ProofAttempts];

/** What a person does to get in, and to keep an account: each folder beside this file is one of its acts. */
@Module({
  imports: [
    TypeOrmModule.forFeature([LinkRequest, UsedState]),
    PasswordsModule,
    SessionsModule,
    UsersModule,
    OrgsModule,
    BillingModule,
    LimitsModule,
  ],
  controllers: [
    AuthController,
    AccountController,
    AccountExportController,
    PasswordController,
    ManagedAccountsController,
    MethodsController,
    IdpController,
    IdentitiesController,
    EmailCodeController,
    PasskeyLoginController,
    PasskeysController,
    PendingLoginController,
    FactorsController,
    StepUpController,
  ],
  providers: [
    ...LOGIN,
    ...MAILED_CODES,
    ...SIGNUP,
    ...ACCOUNT,
    ...PROVIDERS,
    ...PASSKEYS,
    ...SECOND_FACTOR,
    ...STEP_UP,
  ],
})
export class AuthModule implements OnModuleInit {
  constructor(
    private readonly background: Background,
    private readonly worker: LinkRequestsWorker,
    private readonly cron: CronTasks,
  ) {}

  onModuleInit(): void {
    this.background.add(this.worker);
    this.cron.prune({ table: 'used_states', keptDays: 0 });
  }
}
