import { Controller, Get, Query } from '@nestjs/common';
import { Answers, Problems, Summary } from '../docs/answers.js';
import { InsufficientRole } from '../errors/errors.js';
import { pageFields } from '../paging/page.js';
import { CurrentUser } from '../sessions/caller.js';
import { User } from '../users/user.entity.js';
import { ListAuditEvents } from './audit.dto.js';
import { AuditEventSchema, auditEventView } from './audit-event.view.js';
import { AuditEventsService } from './audit-events.service.js';

@Controller('audit-events')
export class AuditController {
  constructor(private readonly events: AuditEventsService) {}

  @Get()
  @Summary(
    'What the caller did and what was done to their account, newest first; in other scopes, to others as well.',
  )
  @Answers(200, pageFields(AuditEventSchema))
  @Problems([InsufficientRole])
  async list(@CurrentUser() reader: User, @Query() query: ListAuditEvents) {
    const { data, nextCursor } = await this.events.list(reader, query);
    return { data: data.map(auditEventView), next_cursor: nextCursor };
  }
}
