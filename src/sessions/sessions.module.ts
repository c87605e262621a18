import { Module } from '@nestjs/common';
import { ActingSessionsService } from './acting-sessions.service.js';
import { AuthorityService } from './authority.service.js';
import { OrgEntries } from './org-entries.js';
import { PolicyRule } from './policy-rule.js';
import { SessionActivity } from './session-activity.js';
import { PendingLoginCookie, SessionCookie } from './session-cookies.js';
import { SessionMetrics } from './session-metrics.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsService } from './sessions.service.js';
import { StepUpRule } from './step-up-rule.js';

@Module({
  controllers: [SessionsController],
  providers: [
    SessionsService,
    ActingSessionsService,
    SessionActivity,
    SessionCookie,
    SessionMetrics,
    StepUpRule,
    PolicyRule,
    OrgEntries,
    AuthorityService,
    PendingLoginCookie,
  ],
  exports: [
    SessionsService,
    ActingSessionsService,
    SessionCookie,
    SessionMetrics,
    StepUpRule,
    PolicyRule,
    OrgEntries,
    PendingLoginCookie,
    AuthorityService,
  ],
})
export class SessionsModule {}
