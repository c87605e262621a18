import { Controller, Get, Query } from '@nestjs/common';
import { type CallerUser, CurrentUser } from '../http/caller.js';
import { InsufficientRole } from '../http/errors.js';
import { pageFields } from '../http/page.js';
import { Answers, Operation, Problems } from '../http/route.js';
import { ListAuditEvents } from './audit.dto.js';
import { AuditEventSchema, auditEventView } from './audit-event.view.js';
import { AuditEventsService } from './audit-events.service.js';

@Controller('audit-events')
export class AuditController {
  constructor(private readonly events: AuditEventsService) {}

  @Get()
  @Operation(
    'listAuditEvents',
    'What the caller did and what was done to their account, newest first; in other scopes, to others as well.',
  )
  @Answers(200, pageFields(AuditEventSchema))
  @Problems([InsufficientRole])
  async list(@CurrentUser() reader: CallerUser, @Query() query: ListAuditEvents) {
    const { data, nextCursor } = await this.events.list(reader, query);
    return { data: data.map(auditEventView), next_cursor: nextCursor };
  }
}
