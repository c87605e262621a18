import { Injectable } from '@nestjs/common';
import type { CallerUser } from '../http/caller.js';
import { InsufficientRole, ValidationFailed } from '../http/errors.js';
import { type Page, pageOf } from '../http/page.js';
import { isAtLeast, Role } from '../http/role.js';
import type { ListAuditEvents } from './audit.dto.js';
import type { AuditEvent } from './audit-event.entity.js';
import { AuditEventsRepository, type Scope } from './audit-events.repository.js';

/** What has been recorded, as far as the reader may see it. */
@Injectable()
export class AuditEventsService {
  constructor(private readonly events: AuditEventsRepository) {}

  /** A page of events, newest first. It leaves out where acts from above came from. Throws as `scopeOf`. */
  async list(reader: CallerUser, query: ListAuditEvents): Promise<Page<AuditEvent>> {
    const scope = scopeOf(reader, query);
    return pageOf(query, (before, limit) => this.events.findAll(scope, query, before, limit));
  }
}

/** Throws InsufficientRole, and ValidationFailed where the scope allows no choice of an organization. */
function scopeOf(reader: CallerUser, { scope, org_id }: ListAuditEvents): Scope {
  if (org_id !== undefined && scope !== 'all')
    throw new ValidationFailed([{ field: 'org_id', messages: ['goes with scope=all'] }]);
  if (scope === 'me') return { ofUser: reader.id };
  if (scope === 'all' && reader.role === Role.SYSTEM_ADMIN) return {};
  if (scope === 'org' && reader.orgId !== null && isAtLeast(reader.role, Role.ORG_ADMIN))
    return { orgId: reader.orgId };
  throw new InsufficientRole();
}
