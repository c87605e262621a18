import { Module } from '@nestjs/common';
import { SessionActivity } from './session-activity.js';
import { SessionCookie } from './session-cookie.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@Module({
  controllers: [SessionsController],
  providers: [SessionsService, SessionsRepository, SessionActivity, SessionCookie],
  exports: [SessionsService, SessionCookie],
})
export class SessionsModule {}
