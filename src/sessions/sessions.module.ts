import { Module } from '@nestjs/common';
import { PendingLoginsRepository } from '../accounts/pending-logins.repository.js';
import { SessionsRepository } from '../accounts/sessions.repository.js';
import { Environment } from '../config/environment.js';
import { CronTasks } from '../cron/cron-tasks.js';
import { PendingLoginCookie } from './pending-login-cookie.js';
import { RecentProof } from './recent-proof.js';
import { SessionActivity } from './session-activity.js';
import { SessionCookie } from './session-cookie.js';
import { SessionLookups } from './session-lookups.js';
import { SessionMetrics } from './session-metrics.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsService } from './sessions.service.js';

@Module({
  controllers: [SessionsController],
  providers: [
    SessionsService,
    SessionsRepository,
    SessionLookups,
    SessionActivity,
    SessionCookie,
    SessionMetrics,
    RecentProof,
    PendingLoginsRepository,
    PendingLoginCookie,
  ],
  exports: [
    SessionsService,
    SessionsRepository,
    SessionCookie,
    SessionMetrics,
    RecentProof,
    PendingLoginsRepository,
    PendingLoginCookie,
  ],
})
export class SessionsModule {
  constructor(cron: CronTasks, { cronSessionRetentionDays: keptDays }: Environment) {
    cron.prune({ table: 'sessions', keptDays });
    cron.prune({ table: 'pending_logins', keptDays: 0 });
  }
}
