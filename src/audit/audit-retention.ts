import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import type { Batches } from '../database/expired-rows.repository.js';
import { AuditChainsRepository } from './audit-chains.repository.js';

/** Events deleted in one transaction. */
const BATCH = 2_000;

/** Deletes the oldest audit events, so that what is left of each chain can still be verified. */
@Injectable()
export class AuditRetention {
  private readonly keptDays: number;

  constructor(
    { cronAuditRetentionDays }: Environment,
    private readonly chains: AuditChainsRepository,
  ) {
    this.keptDays = cronAuditRetentionDays;
  }

  /** How many events are past their time. */
  count(): Promise<number> {
    return this.chains.countLinkedBefore(this.keptDays);
  }

  /** Deletes the beginning of each chain that is past its time. A chain may have nothing of that kind. */
  async *delete(): Batches {
    for (const { id } of await this.chains.findAll()) {
      for (let batch = BATCH; batch === BATCH; ) {
        batch = await this.chains.pruneOldest(id, this.keptDays, BATCH);
        yield batch;
      }
    }
    return { rows: 0, isComplete: true };
  }
}
