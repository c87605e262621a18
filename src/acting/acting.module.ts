import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ActingController } from './acting.controller.js';
import { ActingService } from './acting.service.js';

@Module({
  imports: [MailModule, SessionsModule],
  controllers: [ActingController],
  providers: [ActingService],
})
export class ActingModule {}
