import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AppModeGuard } from './access/app-mode.guard.js';
import { OriginGuard } from './access/origin.guard.js';
import { Refusals } from './access/refusals.js';
import { RolesGuard } from './access/roles.guard.js';
import { TenancyGuard } from './access/tenancy.guard.js';
import { AiModule } from './ai/ai.module.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { IdpModule } from './auth/idp/idp.module.js';
import { BackgroundModule } from './background/background.module.js';
import { BillingModule } from './billing/billing.module.js';
import { SubscriptionGuard } from './billing/subscription.guard.js';
import { ConfigModule } from './config/config.module.js';
import type { Environment } from './config/environment.js';
import { CronModule } from './cron/cron.module.js';
import { DatabaseModule } from './database/database.module.js';
import { DocsModule } from './docs/docs.module.js';
import { ProblemFilter } from './errors/problem.filter.js';
import { HealthModule } from './health/health.module.js';
import { LimitGuard } from './limits/limit.guard.js';
import { LimitsModule } from './limits/limits.module.js';
import { MailModule } from './mail/mail.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { OrgsModule } from './orgs/orgs.module.js';
import { SessionGuard } from './sessions/session.guard.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { SpaModule } from './spa/spa.module.js';
import { UsersModule } from './users/users.module.js';

/** The whole service. */
@Module({
  imports: [
    DatabaseModule,
    BackgroundModule,
    SpaModule,
    MailModule,
    AuditModule,
    LimitsModule,
    AuthModule,
    IdpModule,
    UsersModule,
    SessionsModule,
    OrgsModule,
    BillingModule,
    AiModule,
    CronModule,
    HealthModule,
    MetricsModule,
    DocsModule,
  ],
  providers: [
    AppModeGuard,
    Refusals,
    ProblemFilter,
    { provide: APP_FILTER, useExisting: ProblemFilter },
    // In the order they run, after the AppModeGuard, which does not wait for Nest.
    { provide: APP_GUARD, useClass: OriginGuard },
    { provide: APP_GUARD, useClass: SessionGuard },
    { provide: APP_GUARD, useClass: TenancyGuard },
    { provide: APP_GUARD, useClass: RolesGuard },
    { provide: APP_GUARD, useClass: LimitGuard },
    { provide: APP_GUARD, useClass: SubscriptionGuard },
  ],
})
export class AppModule {
  static with(environment: Environment): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.with(environment)] };
  }
}
