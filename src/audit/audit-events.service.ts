import { Injectable } from '@nestjs/common';
import type { CallerUser } from '../http/caller.js';
import { InsufficientRole } from '../http/errors.js';
import { type Page, pageOf } from '../http/page.js';
import { isAtLeast, Role } from '../http/role.js';
import type { ListAuditEvents } from './audit.dto.js';
import type { AuditEvent } from './audit-event.entity.js';
import { AuditEventsRepository, type AuditFilter } from './audit-events.repository.js';

/** What has been recorded, as far as the reader may see it. */
@Injectable()
export class AuditEventsService {
  constructor(private readonly events: AuditEventsRepository) {}

  async list(reader: CallerUser, query: ListAuditEvents): Promise<Page<AuditEvent>> {
    const { user_id: concerning, type, since } = query;
    const filter = { concerning, type, since, ...scopeOf(reader, query) };
    return pageOf(query, (before, limit) => this.events.find(filter, before, limit));
  }
}

/** Throws InsufficientRole. */
function scopeOf(reader: CallerUser, { scope }: ListAuditEvents): AuditFilter {
  if (scope === 'me') return { ofUser: reader.id };
  if (scope === 'all' && reader.role === Role.SYSTEM_ADMIN) return {};
  if (scope === 'org' && reader.orgId !== null && isAtLeast(reader.role, Role.ORG_ADMIN))
    return { orgId: reader.orgId };
  throw new InsufficientRole();
}
