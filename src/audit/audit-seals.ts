import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditChainsRepository, type Chain } from './audit-chains.repository.js';
import { AuditHash } from './audit-hash.js';

/** What was sealed, and how many events no secret proves; those are left as they are. */
export interface Sealing {
  sealed: number;
  unproven: number;
}

/**
 * Seals the events that only a former secret proves, so that it can be removed. An event that no secret proves gets no
 * seal: it would make a change look like what was recorded.
 */
@Injectable()
export class AuditSeals {
  constructor(
    private readonly database: DataSource,
    private readonly chains: AuditChainsRepository,
    private readonly hash: AuditHash,
  ) {}

  async renew(): Promise<Sealing> {
    const all: Sealing = { sealed: 0, unproven: 0 };
    for (const chain of await this.chains.findAll()) {
      const { sealed, unproven } = await this.renewChain(chain);
      all.sealed += sealed;
      all.unproven += unproven;
    }
    return all;
  }

  private async renewChain({ id, prunedPosition, prunedHash }: Chain): Promise<Sealing> {
    const chain: Sealing = { sealed: 0, unproven: 0 };
    let [position, previous]: [number, Buffer] = [prunedPosition, prunedHash];
    for await (const batch of this.chains.batchesAfter(id, prunedPosition, this.database)) {
      const seals: { id: string; seal: Buffer }[] = [];
      for (const event of batch) {
        const isNext = event.position === position + 1;
        // After a gap the event before is not known: what follows the gap is proven by its seal alone, if it has one.
        const before = isNext ? previous : Buffer.alloc(0);
        if (!this.hash.isProven(event, before)) chain.unproven++;
        else if (event.hash && !this.hash.isCurrent(event, before))
          seals.push({ id: event.id, seal: this.hash.sealOf(event.text, event.hash) });
        position = event.position;
        previous = event.hash ?? Buffer.alloc(0);
      }
      await this.chains.saveSeals(seals);
      chain.sealed += seals.length;
    }
    return chain;
  }
}
