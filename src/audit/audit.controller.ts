import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, By, type Caller, CurrentCaller, type Recheck, Rechecked } from '../http/caller.js';
import { Compressed } from '../http/compression.js';
import { CSV_TYPE, fileHeaders } from '../http/csv.js';
import { InsufficientRole } from '../http/errors.js';
import { pageFields } from '../http/page.js';
import { Role } from '../http/role.js';
import { Answers, IntoOrgWhen, Limited, MinRole, Operation, Personal, Problems } from '../http/route.js';
import { list } from '../validation/schema.js';
import { ExportAuditEvents, ListAuditDays, ListAuditEvents } from './audit.dto.js';
import { AuditDaySchema, AuditEventSchema, auditEventView } from './audit-event.view.js';
import { AuditEventsService } from './audit-events.service.js';

const scopeOf = ({ query }: FastifyRequest) => (query as Partial<ListAuditEvents>).scope;

@Controller('audit-events')
export class AuditController {
  constructor(private readonly events: AuditEventsService) {}

  @Get()
  @Compressed()
  @IntoOrgWhen((request) => scopeOf(request) === 'org')
  @Operation(
    'listAuditEvents',
    'What the caller did and what was done to their account, newest first; in other scopes, to others as well.',
  )
  @Answers(200, pageFields(AuditEventSchema))
  @Problems([InsufficientRole])
  async list(@CurrentCaller() caller: Caller, @Query() query: ListAuditEvents) {
    const { data, nextCursor } = await this.events.list(caller, query);
    return { data: data.map(auditEventView), next_cursor: nextCursor };
  }

  @Get('days')
  @Personal()
  @MinRole(Role.SYSTEM_ADMIN)
  @Operation(
    'listAuditDays',
    'How many events of a user there were on each of the last 30 days in UTC, up to 100 on a day; today so far is the last.',
  )
  @Answers(200, { data: list(AuditDaySchema) })
  async days(@Query() { user_id }: ListAuditDays) {
    return { data: await this.events.countDays(user_id) };
  }

  @Get('export')
  @IntoOrgWhen((request) => scopeOf(request) !== 'all')
  @MinRole(Role.ORG_ADMIN)
  @Limited('changePerUser')
  @Operation('exportAuditEvents', 'All events that meet a filter, as a CSV file; it is recorded.')
  @Answers(200, CSV_TYPE)
  @Problems([InsufficientRole])
  async export(
    @CurrentCaller() caller: Caller,
    @Query() query: ExportAuditEvents,
    @By() by: Actor,
    @Rechecked() recheck: Recheck,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const csv = await this.events.export(caller, query, by, recheck);
    reply.headers(fileHeaders('activity', query.scope === 'org' ? caller : undefined));
    return csv;
  }
}
