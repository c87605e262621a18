import { Controller, Get, Query } from '@nestjs/common';
import { CurrentUser } from '../sessions/caller.js';
import { User } from '../users/user.entity.js';
import { ListAuditEvents } from './audit.dto.js';
import { auditEventView } from './audit-event.view.js';
import { AuditEventsService } from './audit-events.service.js';

@Controller('audit-events')
export class AuditController {
  constructor(private readonly events: AuditEventsService) {}

  @Get()
  async list(@CurrentUser() reader: User, @Query() query: ListAuditEvents) {
    const { data, nextCursor } = await this.events.list(reader, query);
    return { data: data.map(auditEventView), next_cursor: nextCursor };
  }
}
