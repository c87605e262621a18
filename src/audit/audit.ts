import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { AuditType } from './audit-types.js';

/** The chain of what belongs to no organization. */
const NO_ORG = '00000000-0000-0000-0000-000000000000';

/** Who acts, and from where. */
export interface Actor {
  /** Null when nobody has logged in. */
  userId: string | null;
  ip: string | null;
  userAgent: string | null;
}

/** The service itself, at work for nobody. */
export const NOBODY: Actor = { userId: null, ip: null, userAgent: null };

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
  constructor(private readonly database: DataSource) {}

  /** Records an act in the transaction that changes something by it: there is neither without the other. */
  async record(
    { type, by, userId = null, orgId = null, details = {} }: Act,
    manager = this.database.manager,
  ): Promise<void> {
    await manager.query(
      `INSERT INTO audit_events (id, type, actor_id, user_id, org_id, chain_id, ip, user_agent, details)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [uuidv7(), type, by.userId, userId, orgId, orgId ?? NO_ORG, by.ip, by.userAgent, details],
    );
  }
}
