import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import {
  AuditChainsRepository,
  type Chain,
  type LinkedEvent,
  type Reader,
} from './audit-chains.repository.js';
import { AuditHash } from './audit-hash.js';

/** Events between two reports. */
const REPORTED = 1_000;

/**
 * What is wrong with a chain. An event is unproven when the row of its chain is gone, or says that the event was pruned:
 * nothing shows whether it, and those after it, are as they were recorded.
 */
export interface ChainFault {
  chainId: string;
  position: number;
  what: 'changed' | 'missing' | 'unproven';
}

/** Finds audit events that were changed or taken out, and chains that were. */
@Injectable()
export class AuditVerifier {
  constructor(
    private readonly database: DataSource,
    private readonly chains: AuditChainsRepository,
    private readonly hash: AuditHash,
  ) {}

  /** Yields what is wrong with the chains as they are when it begins, and reports how many events it has checked. */
  async *verify(report: (events: number) => void): AsyncGenerator<ChainFault> {
    const runner = this.database.createQueryRunner();
    // What is linked or pruned meanwhile would look like a fault.
    await runner.startTransaction('REPEATABLE READ');
    let events = 0;
    const count = () => ++events % REPORTED === 0 && report(events);
    try {
      for (const first of await this.chains.findUnproven(runner.manager))
        yield { ...first, what: 'unproven' };
      for (const chain of await this.chains.findAll(runner.manager))
        yield* this.check(chain, runner.manager, count);
      report(events);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  }

  private async *check(chain: Chain, tx: Reader, count: () => void): AsyncGenerator<ChainFault> {
    const fault = (what: ChainFault['what'], position: number) => ({ chainId: chain.id, position, what });
    let [position, hash]: [number, Buffer | null] = [chain.prunedPosition, chain.prunedHash];

    for await (const event of this.events(chain, tx)) {
      count();
      const isNext = event.position === position + 1;
      while (++position < event.position) yield fault('missing', position);
      // After a gap, or an event without its hash, the one before is not known; that is reported already.
      const isWrong = event.hash === null || (isNext && hash !== null && !this.hash.isProven(event, hash));
      if (isWrong) yield fault('changed', position);
      hash = event.hash;
    }
    if (position === chain.position && hash !== null && !hash.equals(chain.hash))
      yield fault('changed', position);
    while (++position <= chain.position) yield fault('missing', position);
  }

  private async *events({ id, prunedPosition }: Chain, tx: Reader): AsyncGenerator<LinkedEvent> {
    for await (const batch of this.chains.batchesAfter(id, prunedPosition, tx)) yield* batch;
  }
}
