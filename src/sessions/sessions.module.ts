import { Module } from '@nestjs/common';
import { AuthorityService } from './authority.service.js';
import { PendingLoginCookie } from './pending-login-cookie.js';
import { SessionActivity } from './session-activity.js';
import { SessionCookie } from './session-cookie.js';
import { SessionLookups } from './session-lookups.js';
import { SessionMetrics } from './session-metrics.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsService } from './sessions.service.js';
import { StepUpRule } from './step-up-rule.js';

@Module({
  controllers: [SessionsController],
  providers: [
    SessionsService,
    SessionLookups,
    SessionActivity,
    SessionCookie,
    SessionMetrics,
    StepUpRule,
    AuthorityService,
    PendingLoginCookie,
  ],
  exports: [SessionsService, SessionCookie, SessionMetrics, StepUpRule, PendingLoginCookie, AuthorityService],
})
export class SessionsModule {}
