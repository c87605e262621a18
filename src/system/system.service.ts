import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AdminsRepository } from '../accounts/admins.repository.js';
import { BillingCustomersRepository } from '../billing/billing-customers.repository.js';
import { isBillingOn, stripeMode } from '../billing/stripe-client.js';
import { Environment } from '../config/environment.js';
import { settingNames } from '../config/read-environment.js';
import { commit, version } from '../config/version.js';
import { ScheduledJobsRepository } from '../cron/scheduled-jobs.repository.js';
import { outboxView } from '../mail/mail.view.js';
import { MailAdminService } from '../mail/mail-admin.service.js';
import { Health } from '../observability/health.js';
import type { Described } from '../validation/schema.js';
import { settingView } from './setting.view.js';
import type { SystemSchema } from './system.view.js';

type System = Described<typeof SystemSchema>;

/** How the service stands, as the replica sees it that answers. */
@Injectable()
export class SystemService {
  constructor(
    private readonly database: DataSource,
    private readonly health: Health,
    private readonly jobs: ScheduledJobsRepository,
    private readonly mails: MailAdminService,
    private readonly customers: BillingCustomersRepository,
    private readonly admins: AdminsRepository,
    private readonly environment: Environment,
  ) {}

  async read(): Promise<System> {
    const down = await this.health.down();
    const checks = await this.health.degraded();
    const degraded = checks.filter(({ isFailing }) => isFailing).map(({ cause }) => cause);
    const { environment, appMode } = this.environment;
    return {
      version: version(),
      commit: commit(),
      environment,
      app_mode: appMode,
      instance: {
        host: hostname(),
        pid: process.pid,
        node: process.versions.node,
        started_at: new Date(performance.timeOrigin),
      },
      health: { down, degraded },
      database: { version: await this.serverVersion(), migrations: migrationsOf(down, degraded) },
      cron: {
        trigger: triggerOf(this.environment),
        last_success_at: await this.jobs.lastSuccess('prune'),
        is_late: degraded.includes('cron'),
      },
      mail: outboxView(await this.mails.glance()),
      billing: await this.billing(),
      admins: await this.admins.countSystemAdmins(),
      settings: settingNames().map((name) => settingView(name, this.environment)),
    };
  }

  private async serverVersion(): Promise<string> {
    const [{ server_version }] = await this.database.query('SHOW server_version');
    return server_version;
  }

  private async billing(): Promise<System['billing']> {
    if (!isBillingOn(this.environment)) return null;
    const { customers, unreadForADay } = await this.customers.count();
    return {
      mode: stripeMode(this.environment),
      customers,
      unread_for_a_day: unreadForADay,
    };
  }
}

function migrationsOf(down: string[], degraded: string[]): System['database']['migrations'] {
  if (down.includes('migrations')) return 'behind';
  return degraded.includes('migrations') ? 'ahead' : 'current';
}

function triggerOf({ cronSecret, cronSchedule }: Environment): System['cron']['trigger'] {
  if (cronSecret !== undefined) return cronSchedule === undefined ? 'secret' : 'both';
  return cronSchedule === undefined ? 'none' : 'schedule';
}
