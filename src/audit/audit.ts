import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Actor } from '../http/caller.js';
import { AuditEventsRepository } from './audit-events.repository.js';
import type { AuditType } from './audit-types.js';

/** The chain of what belongs to no organization. */
const NO_ORG = '00000000-0000-0000-0000-000000000000';

/** Something done, as it is to be remembered. */
export interface Act {
  type: AuditType;
  by: Actor;
  /** Whose account it is about. */
  userId?: string | null;
  orgId?: string | null;
  /** Ids, roles, reasons; never a secret, and nothing that somebody typed where a password might be typed. */
  details?: Record<string, string | number | boolean | null>;
}

/** Remembers who did what to whom, from where. */
@Injectable()
export class Audit {
  constructor(private readonly events: AuditEventsRepository) {}

  /** Records an act in the transaction that changes something by it: there is neither without the other. */
  async record(
    { type, by, userId = null, orgId = null, details = {} }: Act,
    manager?: EntityManager,
  ): Promise<void> {
    const { userId: actorId, ip, userAgent } = by;
    const chainId = orgId ?? NO_ORG;
    await this.events.insert(
      { id: uuidv7(), type, actorId, userId, orgId, chainId, ip, userAgent, details },
      manager,
    );
  }
}
