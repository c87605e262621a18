import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AccessModule } from '../access/access.module.js';
import { PermissionGuard } from '../access/permission.guard.js';
import { PermissionsModule } from '../access/permissions.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ActingModule } from '../acting/acting.module.js';
import { AiModule } from '../ai/ai.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { BackendsModule } from '../backends/backends.module.js';
import { BillingModule } from '../billing/billing.module.js';
import { SubscriptionGuard } from '../billing/subscription.guard.js';
import type { Environment } from '../config/environment.js';
import { EnvironmentModule } from '../config/environment.module.js';
import { arePagesOn } from '../config/pages.js';
import { CronModule } from '../cron/cron.module.js';
import { EventsModule } from '../events/events.module.js';
import { AppModeGuard } from '../http/app-mode.guard.js';
import { OriginGuard } from '../http/origin.guard.js';
import { ProblemFilter } from '../http/problem.filter.js';
import { ProblemsModule } from '../http/problems.module.js';
import { ProductRoutes } from '../http/product-routes.js';
import { KeyGuard } from '../keys/key.guard.js';
import { KeysModule } from '../keys/keys.module.js';
import { MailModule } from '../mail/mail.module.js';
import { HealthModule } from '../observability/health.module.js';
import { MetricsModule } from '../observability/metrics.module.js';
import { DocsModule } from '../openapi/docs.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { BackgroundModule } from '../queues/background.module.js';
import { BearerSecretGuard } from '../rate-limits/bearer-secret.guard.js';
import { LimitGuard } from '../rate-limits/limit.guard.js';
import { LimitsModule } from '../rate-limits/limits.module.js';
import { ActingGuard } from '../sessions/acting.guard.js';
import { PolicyGuard } from '../sessions/policy.guard.js';
import { Refusals } from '../sessions/refusals.js';
import { RolesGuard } from '../sessions/roles.guard.js';
import { SessionGuard } from '../sessions/session.guard.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StepUpGuard } from '../sessions/step-up.guard.js';
import { TenancyGuard } from '../sessions/tenancy.guard.js';
import { SystemModule } from '../system/system.module.js';
import { UsersModule } from '../users/users.module.js';
import { WordsModule } from '../words/words.module.js';
import { DatabaseModule } from './database.module.js';
import type { Product } from './product.js';

/** The whole service; `with` adds its settings and a product. */
@Module({
  imports: [
    BackgroundModule,
    ProblemsModule,
    AccountsModule,
    MailModule,
    AuditModule,
    LimitsModule,
    AuthModule,
    UsersModule,
    SessionsModule,
    OrgsModule,
    BillingModule,
    AccessModule,
    KeysModule,
    AiModule,
    ActingModule,
    BackendsModule,
    EventsModule,
    CronModule,
    SystemModule,
    HealthModule,
    MetricsModule,
    DocsModule,
  ],
  providers: [
    AppModeGuard,
    Refusals,
    { provide: APP_FILTER, useExisting: ProblemFilter },
    // In the order they run.
    { provide: APP_GUARD, useExisting: AppModeGuard },
    { provide: APP_GUARD, useClass: OriginGuard },
    { provide: APP_GUARD, useClass: KeyGuard },
    { provide: APP_GUARD, useClass: SessionGuard },
    { provide: APP_GUARD, useClass: TenancyGuard },
    { provide: APP_GUARD, useClass: PolicyGuard },
    { provide: APP_GUARD, useClass: RolesGuard },
    { provide: APP_GUARD, useClass: PermissionGuard },
    { provide: APP_GUARD, useClass: ActingGuard },
    { provide: APP_GUARD, useClass: StepUpGuard },
    { provide: APP_GUARD, useClass: LimitGuard },
    { provide: APP_GUARD, useClass: SubscriptionGuard },
    { provide: APP_GUARD, useClass: BearerSecretGuard },
  ],
})
export class AppModule {
  static with(environment: Environment, product: Product = {}, connectTimeoutMs?: number): DynamicModule {
    const pages = arePagesOn(environment) ? [loadPages()] : [];
    const { modules = [], messages, permissions } = product;
    return {
      module: AppModule,
      imports: [
        EnvironmentModule.with(environment),
        WordsModule.with(messages),
        DatabaseModule.with(product, connectTimeoutMs),
        PermissionsModule.with(permissions),
        ...pages,
        ...modules,
      ],
      providers: [{ provide: ProductRoutes, useValue: new ProductRoutes(modules) }],
    };
  }
}

/** Loaded only where they are on: a service without pages does not pay for them. */
async function loadPages(): Promise<DynamicModule> {
  const { PagesModule } = await import('../pages/pages.module.js');
  return { module: PagesModule };
}
